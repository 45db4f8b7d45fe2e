import { askerOf } from '../../domain/gateway/asker.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import {
  answerBefore,
  CACHE_KEY,
  OWN_NAME,
  type SessionHint,
  sessionHint,
  varyAfter,
} from '../../domain/gateway/session-hint.ts';
import type { Format } from '../../domain/items/codecs.ts';
import type { Item } from '../../domain/items/item.ts';
import { TELLS_WHICH } from '../../domain/items/leading-instructions.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { SessionRef } from '../ports/event-store.ts';
import { planSync } from '../sync-plan.ts';
import { Telling } from '../telling.ts';
import { BEGINNING } from '../told-chain.ts';
import type { Expanded } from './expand-content.ts';
import { HistoryKeys, type HistoryState, hashed, noHistory } from './history-keys.ts';
import type { PlanDeps } from './plan-deps.ts';
import { sessionIdOf } from './session-id.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * The session of a turn. `keys`: what it is to be found by from now on, also under a new credential.
 * `delta`: the request holds only what is new after an answer that this session has recorded.
 */
export type TurnSession = {
  ref: SessionRef;
  keys: string[];
  history: HistoryState;
  /** Its items as they were taken in already, where that was done. */
  telling: Telling | null;
  rule: string;
  name: string | null;
  delta: Delta | null;
  /** The session is not there yet, and begins as a fork of this one, whose history it was given. */
  parent: SessionRef | null;
};

/** `version`: of the log behind that answer; null where that is not known. */
export type Delta = { answer_id: string; isKnown: boolean; version: number | null };

/** A history; whose it is, as far as its items say so themselves. */
type Known = Pick<Expanded, 'session_id' | 'referred_session_id'> & { items: readonly Item[] };

/**
 * Finds the session of a request by the rules of SPEC 2, section 23; it may not exist yet. `session_id`:
 * whose history a compaction item of ours stands for that the request holds.
 */
export async function findTurnSession(
  deps: Pick<PlanDeps, 'store' | 'largestHere' | 'histories'>,
  request: TurnRequest,
  body: JsonObject,
  { items, session_id: carried, referred_session_id }: Known,
  format: Format,
): Promise<TurnSession> {
  const { store, histories } = deps;
  const { tenant, protocol, headers } = request;
  const hint = sessionHint(protocol, (name) => headers[name] ?? null, body);
  const base = (session_id: string) => ({
    ref: { tenant, session_id },
    keys: [],
    rule: hint.kind === 'named' ? hint.rule : hint.kind,
    name: hint.kind === 'named' ? hint.name : null,
    delta: null,
    telling: null,
    parent: null,
  });
  const history = once(() => {
    // What has a name is found by that.
    const asker = hint.kind === 'history' ? askerKey(request, body, items) : null;
    return new HistoryKeys(format, noHistory(request.upstream, format, asker)).add(items);
  });
  const found = (session_id: string, more: Partial<TurnSession> = {}): TurnSession => ({
    ...base(session_id),
    history: history().state,
    ...more,
  });
  const inFormat = async (session_id: string | null | undefined) => {
    if (session_id == null) return undefined;
    const head = await store.head({ tenant, session_id });
    return head?.settings.format === format ? session_id : undefined;
  };
  const byContent = async (keys: readonly string[]) =>
    (await inFormat(carried)) ??
    (await store.gatewayKeys.find(tenant, keys))?.session_id ??
    (await inFormat(referred_session_id));
  const answer_id = answerBefore(protocol, body);
  if (answer_id !== null) {
    // Whatever its session is called: what the model reads before these items stands where that answer is.
    const known = await store.gatewayKeys.find(tenant, [answerKey(request, answer_id)]);
    const delta = { answer_id, isKnown: known !== null, version: known?.version ?? null };
    return found(known?.session_id ?? sessionIdOf(request.fresh_id), { delta });
  }
  switch (hint.kind) {
    case 'named': {
      const key = nameKey(request, hint);
      const head = await store.head({ tenant, session_id: sessionIdOf(key) });
      if (head !== null) {
        const vary_after = varyAfter(hint.rule);
        const telling = new Telling(format, items, head.state.told, BEGINNING, vary_after);
        const state = histories.state(request.upstream, telling);
        return { ...base(sessionIdOf(key)), history: state, telling };
      }
      // By its id the client may name one that it was told of, or that was made for it.
      const known_id = hint.rule === OWN_NAME ? await inFormat(hint.name) : undefined;
      if (known_id !== undefined) return found(known_id);
      // Under a new name it goes on with a session whose whole history it has: a beginning is not enough.
      const known = await byContent([key, ...history().newest()]);
      if (known === undefined) return found(sessionIdOf(key));
      // A subagent, or a fork that its client has made, has the history of another, which goes on by itself.
      if (hint.isAgent || (await isNamedOtherwise(deps, { tenant, session_id: known }, hint))) {
        return found(sessionIdOf(key), { parent: { tenant, session_id: known } });
      }
      return found(known, { keys: [key] });
    }
    case 'after':
    case 'history': {
      const known = await byContent(history().keys());
      if (known !== undefined) return found(known);
      const last = await store.gatewayKeys.find(tenant, history().newestRounds());
      const goesOn = last !== null && (await isTheSame(deps, { tenant, ...last }, format, items));
      return found(goesOn ? last.session_id : sessionIdOf(request.fresh_id));
    }
    default:
      return hint satisfies never;
  }
}

/** Whether a client has another name for a session; what only keys a cache may change within one. */
async function isNamedOtherwise(
  { store }: Pick<PlanDeps, 'store'>,
  ref: SessionRef,
  { rule, name }: Extract<SessionHint, { kind: 'named' }>,
): Promise<boolean> {
  const gateway = (await store.head(ref))?.settings.metadata.gateway;
  if (rule === CACHE_KEY || !isJsonObject(gateway)) return false;
  return gateway.rule === rule && gateway.name !== name;
}

/**
 * Whether a history that begins otherwise than a session goes on with it all the same: its client has
 * compacted it, or keeps a window over it.
 */
async function isTheSame(
  deps: Pick<PlanDeps, 'store' | 'largestHere'>,
  { tenant, session_id }: SessionRef,
  format: Format,
  items: readonly Item[],
): Promise<boolean> {
  const ref = { tenant, session_id };
  const head = await deps.store.head(ref);
  if (head?.settings.format !== format) return false;
  const { state } = head;
  const plan = await planSync(
    deps,
    ref,
    { state, format },
    new Telling(format, items, state.told, BEGINNING, TELLS_WHICH),
  );
  const takesBack = plan.kind === 'follows' && plan.superseded.length > 0;
  return plan.kind !== 'diverges' && (plan.known > 0 || takesBack);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function askerKey(
  { upstream, owner }: TurnRequest,
  body: JsonObject,
  items: readonly Item[],
): string {
  return hashed('asker', upstream, owner, askerOf(body, items));
}

/** What names the session of a request before its body is read. */
export type NamedBy = Omit<TurnRequest, 'text' | 'fresh_id'>;

/** The session that the headers of a request name; null where they name none. It may not exist. */
export function namedBy(request: NamedBy): Pick<TurnSession, 'ref' | 'rule' | 'name'> | null {
  const { protocol, headers, tenant } = request;
  const hint = sessionHint(protocol, (name) => headers[name] ?? null, {});
  if (hint.kind !== 'named') return null;
  const ref = { tenant, session_id: sessionIdOf(nameKey(request, hint)) };
  return { ref, rule: hint.rule, name: hint.name };
}

/** The same, only which it is. */
export function namedSession(request: NamedBy): SessionRef | null {
  return namedBy(request)?.ref ?? null;
}

/** The key of an answer by the name that its provider gave it. */
export function answerKey(
  { upstream, owner }: Pick<TurnRequest, 'upstream' | 'owner'>,
  id: string,
) {
  return hashed('answer', upstream, owner, id);
}

/** A session has one format: in another protocol the same name is that of another one. */
function nameKey(
  { tenant, upstream, owner, protocol }: NamedBy,
  { rule, name }: Extract<SessionHint, { kind: 'named' }>,
): string {
  return hashed('name', tenant, upstream, owner, formatOf(protocol), rule, name);
}
