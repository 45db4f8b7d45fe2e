import type { Item } from '../../../src/domain/items/item.ts';
import type { Attribution } from '../../../src/domain/policy/attribution.ts';
import type { Boundary, Signal } from '../../../src/domain/policy/boundaries.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { NewSession } from '../../../src/domain/session/create-session.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import {
  type Observed,
  type ObserveSignal,
  observeSignal,
} from '../../../src/domain/session/observe-signal.ts';
import { loadTemplates } from '../../../src/workers/templates.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, eventsOf, labOf, StubModel } from '../lab.ts';

/** Sessions of profile `rawr`: decisions in memory, or with a store and a worker. Not a test file. */

const rawr = labOf('rawr');

export const GOOD = summaryAnswer();
export const TEMPLATES = loadTemplates();

/** A window of 100,000 tokens, counted without margin: 1,000 tokens are one percent. */
export function openLab(
  config: ConfigOverrides = {},
  overrides: Partial<NewSession> = {},
): Promise<SessionLab> {
  const settings = { token_safety_multiplier: 1, ...config };
  return rawr.openLab(settings, { context_window: 100_000, ...overrides });
}

type Fields = Pick<ObserveSignal, 'needs_follow_up' | 'queued_user_messages' | 'review_mode'>;

/** Posts a signal to a lab's session; what the client is answered. */
export async function signal(
  lab: SessionLab,
  name: Signal,
  fields: Fields = {},
): Promise<Observed> {
  const now = lab.now();
  const outcome = await lab.commit(
    observeSignal(lab.world, {
      signal: name,
      ...fields,
      compaction_id: lab.newId(),
      packet_prompt: TEMPLATES.packet,
      now_ms: now.getTime(),
      at: now.toISOString(),
    }),
  );
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
  return outcome.value;
}

/** Runs the worker for the compaction under way; the events of that compaction. */
export async function work(lab: SessionLab) {
  const { running } = (await lab.head()).state;
  if (running === null) throw new Error('no compaction is under way');
  await lab.work(running.id);
  return eventsOf(lab, running.id);
}

/** The last words of the agent in `TURN`. */
export const LAST_WORDS = 'The changelog is done.';
/** A turn that leaves about 60 % of the window. */
export const TURN: Item[] = [
  user('Make the parser accept trailing commas. Never touch the lexer.'),
  assistant(ofTokens(39_800)),
  user('And the changelog.'),
  assistant(LAST_WORDS),
];

/** A lab whose first turn stands before its end, with a model that summarises. */
export async function atTurnEnd(config: ConfigOverrides = {}, items = TURN): Promise<SessionLab> {
  const lab = await openLab(config);
  StubModel.of(lab, GOOD);
  await append(lab, ...items);
  return lab;
}

/** The packets in the log of a session, as they were appended. */
export async function packetsOf(lab: SessionLab): Promise<Item[]> {
  return (await lab.events()).flatMap((event) =>
    event.type === 'item.appended' && event.data.source === 'packet' ? [event.data.item] : [],
  );
}

/** A session in memory whose turn has so much of the window left, and these boundaries. */
export function pureAt(
  percent: number,
  boundaries: readonly Boundary[] = [],
  config: ConfigOverrides = {},
): PureSession {
  const session = new PureSession(config);
  session.signal('turn_started');
  session.fillTo(percent);
  for (const boundary of boundaries) session.signal(boundary);
  return session;
}

/** The compaction that the middle of a turn asks for: what it says of its cause, or null. */
export function midTurn(session: PureSession): Attribution | null {
  const { events } = session.signal('sampling_complete', { needs_follow_up: true });
  return requestIn(events)?.attribution ?? null;
}

/** What the end of a turn asks for: the request, or null when there is none or it is skipped. */
export function turnEnd(session: PureSession, fields: Fields = {}) {
  return requestIn(session.signal('turn_complete', fields).events);
}

function requestIn(events: readonly NewEvent[]) {
  if (events.some(({ type }) => type === 'compaction.skipped')) return null;
  for (const event of events) if (event.type === 'compaction.requested') return event.data;
  return null;
}
