import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import { ClientTelling, isHidden } from '../../domain/items/hidden-rounds.ts';
import type { Item } from '../../domain/items/item.ts';
import { stringField } from '../../domain/json.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { changesContext } from '../../domain/session/events.ts';
import { append } from '../append.ts';
import type { SessionRef, StoredEvent } from '../ports/event-store.ts';
import type { KeyPlace } from '../ports/gateway-keys.ts';
import { beginBranch } from './branches.ts';
import { callerKeys } from './caller-keys.ts';
import { itemKey } from './expand-references.ts';
import { answerKey } from './find-turn-session.ts';
import { HistoryKeys } from './history-keys.ts';
import type { PlannedTurn } from './plan-turn.ts';
import { type RawAnswer, readAnswer } from './read-answer.ts';
import type { TurnRequest } from './turn-request.ts';

/** The answer to a turn, which need not have been read; it can go from thread to thread. */
export type Recorded = {
  request: Omit<TurnRequest, 'text'>;
  /** `version`: of the session when the request went upstream. */
  plan: Pick<
    PlannedTurn,
    'session_id' | 'version' | 'keys' | 'history' | 'isStored' | 'isFitted' | 'isDelta'
  >;
  raw: RawAnswer | Answer;
};

/** What others write at the same moment makes it look again, so often. */
const ATTEMPTS = 10;

type Deps = Parameters<typeof append>[0] & Parameters<typeof beginBranch>[0];

/**
 * Appends an answer to its session, unless somebody has told a later history of it meanwhile: the client
 * itself, which then holds the answer in its own words. One that has only told what was new will never
 * say it: then the answer goes into a fork. Rejects what an append and a fork reject. Throws
 * ElsewhereError with nothing written.
 */
export async function recordAnswer(
  deps: Deps,
  { request, plan, raw }: Recorded,
): Promise<Outcome<null>> {
  const answer = 'items' in raw ? raw : readAnswer(request.protocol, raw);
  if (answer === null) return accept(null);
  let ref: SessionRef = { tenant: request.tenant, session_id: plan.session_id };
  // What comes before a hidden round has come whole.
  const whole = answer.isWhole ? answer.items.length : answer.items.findLastIndex(isHidden) + 1;
  const said = answer.items.map((item, index) => (index < whole ? item : cutOff(item)));
  let items = plan.isFitted ? said.map(withoutUsage) : said;
  let expected: number | null = plan.version;
  let version: number | null = null;
  const noted: KeyPlace[] = [];
  for (let attempt = 0; items.length > 0; attempt++) {
    const done = await append(deps, ref, {
      items,
      expected: expected === null ? null : { kind: 'version', version: expected },
      idempotency: null,
      wait: null,
    });
    if (done.ok) {
      const { first_seq } = done.value.appended;
      version = done.value.appended.version;
      if (plan.isStored) noted.push(...itemPlaces(request, items, first_seq));
      break;
    }
    if (expected === null || done.rejection.code !== 'version_mismatch' || attempt === ATTEMPTS)
      return done;
    const since: StoredEvent[] = await deps.store.events(ref, { after: expected });
    if (since.some(({ type }) => type === 'item.appended' || type === 'item.superseded')) {
      if (!plan.isDelta || answer.id === null) break;
      const begun = await beginBranch(deps, ref, plan.version, `answer ${answer.id}`);
      if (!begun.ok) return begun;
      ref = begun.value;
      items = plan.isFitted ? said.map(withoutUsage) : said;
      expected = null;
      continue;
    }
    // The model has read another context than that which its answer stands in now.
    if (since.some(changesContext)) items = said.map(withoutUsage);
    expected = since.at(-1)?.version ?? expected;
  }
  // Of one that is worked on in the background nothing has come: the log would lack what others go on from.
  if (answer.id !== null && (answer.isWhole || answer.items.length > 0))
    noted.push({ key: answerKey(request, answer.id), version });
  noted.push(...keysAfter(request, plan, answer).map((key) => ({ key, version: null })));
  await deps.store.gatewayKeys.note(ref, noted);
  return accept(null);
}

/** What the session is to be found by from now on. */
function keysAfter(
  request: Recorded['request'],
  { keys, history, isDelta }: Recorded['plan'],
  answer: Answer,
): string[] {
  const format = formatOf(request.protocol);
  const telling = new ClientTelling(format);
  const told = answer.items.map((item) => telling.told(item)).filter((item) => item !== null);
  const before = new HistoryKeys(format, history);
  const known = [...keys, ...callerKeys(request, answer)];
  if (isDelta) return known;
  // The client may have the rest of it from elsewhere, and go on from there with all of its history.
  if (!answer.isWhole) return [...known, ...before.keysBeforeAnswer()];
  const after = before.add(told);
  return [...known, ...after.keysBehindAnswer(), ...after.newestRounds(1)];
}

/** Requests may name these items in place of sending them. */
function itemPlaces(
  request: Recorded['request'],
  items: readonly Item[],
  first_seq: number,
): KeyPlace[] {
  return items.flatMap((item, index) => {
    const id = stringField(item, 'id');
    return id === undefined ? [] : [{ key: itemKey(request, id), version: first_seq + index }];
  });
}

function withoutUsage({ usage: _, ...item }: Item): Item {
  return item;
}

/** Says on the item itself that there was to be more of it. */
function cutOff(item: Item): Item {
  return { ...item, is_cut_off: true };
}
