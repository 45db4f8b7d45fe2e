import { type Conversation, expandInput } from '../../domain/compaction/stateless.ts';
import type { JsonObject } from '../../domain/json.ts';
import { loadViewHere } from '../load-view.ts';
import { withLedger } from '../read-ledger.ts';
import type { Expanded } from './expand-content.ts';
import { answerKey } from './find-turn-session.ts';
import { type KeptTurn, keepWhereItCan } from './keep-turn.ts';
import { notedSoon, RECORDING_MS } from './noted-soon.ts';
import type { PlanDeps } from './plan-deps.ts';
import type { TurnRequest } from './turn-request.ts';

/** What is to be compacted, and the session that has it, as it is then; null: none. */
type KeptConversation = {
  conversation: Conversation;
  session: { id: string; version: number } | null;
};

/**
 * The conversation of a request for its compaction, which goes into the log of its session first: where
 * the request names one, goes on from one of its answers, or holds its history. Null for one that goes
 * on from an answer that nobody here has given. Without a store it is what the request holds. Throws
 * ElsewhereError with nothing written.
 */
export async function keptConversation(
  deps: PlanDeps,
  request: TurnRequest,
  body: JsonObject,
  told: Expanded,
): Promise<KeptConversation | null> {
  const { previous_response_id: id } = body;
  const isDelta = typeof id === 'string';
  const asked = { ...told, beginsNone: true };
  const keep = () => keepWhereItCan(deps, request, body, asked);
  const kept =
    (await keep()) ?? (isDelta && (await isNotedSoon(deps, request, id)) ? await keep() : null);
  if (!isDelta) {
    const conversation = expandInput(told.input);
    return { conversation, session: kept && placeOf(kept) };
  }
  if (kept === null) return null;
  const conversation = await contextOf(deps, kept);
  return conversation && { conversation, session: placeOf(kept) };
}

function placeOf({ ref, version }: KeptTurn) {
  return { id: ref.session_id, version };
}

/** Whether an answer gets known here; the store may be away. */
async function isNotedSoon(
  { store }: PlanDeps,
  request: TurnRequest,
  id: string,
): Promise<boolean> {
  const keys = [answerKey(request, id)];
  const noted = notedSoon(store, request.tenant, keys, { ms: RECORDING_MS });
  return (await noted.catch(() => null)) !== null;
}

/** The context of a session, with what its log says of the time before. */
async function contextOf(deps: PlanDeps, { ref, version }: KeptTurn): Promise<Conversation | null> {
  const view = await loadViewHere(deps, ref, version);
  if (view === null) return null;
  const { entries, ledger } = await withLedger(deps.store, ref, view);
  const items = entries.map(({ item }) => item);
  const carried = new Set(entries.flatMap(({ item, origin }) => (origin === 'log' ? [] : [item])));
  return { items, carried, ledger };
}
