import { afterEach } from 'vitest';
import type { StoredEvent } from '../../src/app/ports/event-store.ts';
import type { Format } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import type { Profile } from '../../src/domain/policy/profiles.ts';
import { type Appended, appendItems } from '../../src/domain/session/append-items.ts';
import type { NewSession } from '../../src/domain/session/create-session.ts';
import type { EventOf, EventType, Mode, NewEvent } from '../../src/domain/session/events.ts';
import type { World } from '../../src/domain/session/world.ts';
import { modelSummarizer } from '../../src/workers/summarizers/model.ts';
import type {
  ModelAnswer,
  ModelRequest,
  TextModel,
} from '../../src/workers/summarizers/text-model.ts';
import { CLOCK, created, headOf, SESSION, WORLD } from '../support/given.ts';
import { assistant } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';
import { summaryAnswer } from '../support/summary-text.ts';

/** The window of the documents' examples, in tokens. */
export const WINDOW = 200_000;

const open: SessionLab[] = [];
afterEach(async () => {
  for (const lab of open.splice(0)) await lab.close();
});

type Session = { window?: number; world?: World; earlier?: readonly NewEvent[] };

/** How sessions of a profile are made; `format` is that of their items. */
export function labOf(profile: Profile, format: Format = 'anthropic') {
  return {
    /** A session with a store and a worker of its own; closed by itself. */
    openLab: async (
      config: ConfigOverrides = {},
      overrides: Partial<NewSession> = {},
    ): Promise<SessionLab> => {
      const session = { profile, context_window: WINDOW, config, ...overrides };
      const lab = await SessionLab.open(overrides.format ?? format, session);
      open.push(lab);
      return lab;
    },

    /** What an append answers, without any store; the events of the session from the first with it. */
    appendTo: (
      items: Item[],
      config: ConfigOverrides = {},
      { window = WINDOW, world = WORLD, earlier }: Session = {},
    ): { answer: Appended; events: NewEvent[] } => {
      const before = earlier ?? [created({ profile, format, config, context_window: window })];
      const command = { items, defaults: SESSION, compaction_id: 'c', ...CLOCK };
      const outcome = appendItems(world, command)(headOf(before));
      if (!outcome.ok) throw new Error(outcome.rejection.detail);
      const events = [...before, ...outcome.value.events];
      const head = headOf(events);
      if (head === null) throw new Error('there is no session after the append');
      return { answer: outcome.value.value(head), events };
    },
  };
}

/** Appends items; what the client is answered. */
export async function append(lab: SessionLab, ...items: Item[]): Promise<Appended> {
  const outcome = await lab.append(items);
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
  return outcome.value;
}

/** Requests a compaction by hand and runs the worker once; the events of the compaction. */
export async function compact(
  lab: SessionLab,
  mode: Mode,
  instructions?: string,
): Promise<StoredEvent[]> {
  const wishes = instructions === undefined ? {} : { instructions };
  const requested = await lab.request(mode, wishes);
  if (!requested.ok) throw new Error(requested.rejection.detail);
  await lab.work(requested.value.id);
  return eventsOf(lab, requested.value.id);
}

/** Appends items that reach the threshold and runs the worker once; the events of the compaction. */
export async function compactByItself(lab: SessionLab, ...items: Item[]): Promise<StoredEvent[]> {
  const { compaction } = await append(lab, ...items);
  if (compaction === null) throw new Error('the append has asked for no compaction');
  await lab.work(compaction.id);
  return eventsOf(lab, compaction.id);
}

/** The events of one compaction, oldest first. */
export async function eventsOf(lab: SessionLab, id: string): Promise<StoredEvent[]> {
  const events = await lab.events();
  return events.filter(({ data }) => 'compaction_id' in data && data.compaction_id === id);
}

/** The types of events without what they have in common. */
export function steps(events: readonly { type: EventType }[]): string[] {
  return events.map(({ type }) => type.replace('compaction.', ''));
}

/** The newest event of a type; throws when there is none. */
export function last<T extends EventType>(
  events: readonly { type: EventType }[],
  type: T,
): EventOf<T> {
  const found = events.findLast((event) => event.type === type);
  if (found === undefined) throw new Error(`no ${type} among ${steps(events).join(', ')}`);
  // The type is what narrows the event; TypeScript cannot see that through the generic.
  return found as EventOf<T>;
}

/** A message with which the provider reports a context of so many tokens. */
export function reporting(tokens: number): Item {
  return assistant('ok', { usage: { input_tokens: tokens, output_tokens: 0 } });
}

/** A model that keeps what it is asked and gives one answer after the other, the last for ever. */
export class StubModel implements TextModel {
  readonly name = 'anthropic/claude-haiku-4-5';
  readonly context_window = WINDOW;
  readonly requests: ModelRequest[] = [];
  readonly #answers: ModelAnswer[];

  private constructor(answers: ModelAnswer[]) {
    this.#answers = answers;
  }

  /** Makes it the lab's summariser. A text is a successful answer. */
  static of(lab: SessionLab, ...answers: (string | ModelAnswer)[]): StubModel {
    const model = new StubModel(
      answers.map((given) => (typeof given === 'string' ? answerOf(given) : given)),
    );
    lab.summarizer = modelSummarizer(model);
    return model;
  }

  async ask(request: ModelRequest): Promise<ModelAnswer> {
    this.requests.push(request);
    const next = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    return next ?? answerOf(summaryAnswer());
  }

  /** The newest prompt. */
  get prompt(): string {
    return this.requests.at(-1)?.prompt ?? '';
  }
}

function answerOf(text: string): ModelAnswer {
  const usage = { input: 900, output: 80, cache_read: 300, cache_creation: 40 };
  return { ok: true, text, is_cut_off: false, model: 'anthropic/claude-haiku-4-5', usage };
}

export type RecordEntry = { role: string; attributes: string; text: string };

/** The entries of the conversation in a prompt, in order. */
export function recordOf(prompt: string): RecordEntry[] {
  const entry = /<record-entry role="([^"]*)"([^>]*)>\n([\s\S]*?)\n<\/record-entry>/g;
  return [...prompt.matchAll(entry)].map(([, role = '', attributes = '', text = '']) => ({
    role,
    attributes: attributes.trim(),
    text,
  }));
}
