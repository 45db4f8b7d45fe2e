import { formatOf } from '../../domain/gateway/protocol.ts';
import { varyAfter } from '../../domain/gateway/session-hint.ts';
import { withoutSummaryQuestion } from '../../domain/gateway/summary-question.ts';
import type { Item } from '../../domain/items/item.ts';
import type { JsonObject } from '../../domain/json.ts';
import { checkItems } from '../../domain/session/check-items.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { ElsewhereError } from '../ports/elsewhere-error.ts';
import type { SessionRef } from '../ports/event-store.ts';
import { sync } from '../sync.ts';
import { appendDelta } from './append-delta.ts';
import { beginBranch, beginWith } from './branches.ts';
import type { Expanded } from './expand-content.ts';
import { findTurnSession, type TurnSession } from './find-turn-session.ts';
import type { PlanDeps } from './plan-deps.ts';
import type { TurnRequest } from './turn-request.ts';
import { settleSession } from './turn-settings.ts';

/** The session that holds the history of a request now, and where in it that ends. */
export type KeptTurn = { kind: 'kept'; ref: SessionRef; version: number; session: TurnSession };

/**
 * `is_excerpt`: the client has left its newest round out. `beginsNone`: a history that nothing names, and
 * that no session begins with, is not kept.
 */
type Told = Pick<Expanded, 'items' | 'session_id' | 'referred_session_id'> & {
  is_excerpt?: boolean;
  beginsNone?: boolean;
};

/**
 * Finds the session of a request and brings it up to the history that it holds. Rejects what a sync
 * rejects. Throws ElsewhereError, and what the store throws.
 */
export async function keepTurn(
  deps: PlanDeps,
  request: TurnRequest,
  body: JsonObject,
  told: Told,
): Promise<Outcome<KeptTurn | { kind: 'unknown_answer' | 'not_kept' }>> {
  const format = formatOf(request.protocol);
  const session = await findTurnSession(deps, request, body, told, format);
  if (session.delta?.isKnown === false) return accept({ kind: 'unknown_answer' });
  if (session.rule === 'history' && (await deps.store.head(session.ref)) === null) {
    if (told.beginsNone === true) return accept({ kind: 'not_kept' });
    // What no session takes begins none: else each such request would leave an empty one.
    const fits = checkItems(format, 'items', told.items);
    if (!fits.ok) return reject('invalid_item', 'the history begins no session', fits.errors);
  }
  if (session.parent !== null) {
    const begun = await beginWith(deps, session.parent, session, told.items);
    if (!begun.ok) return begun;
  }
  const settled = await settleSession(deps, session, request, body);
  if (!settled.ok) return settled;
  const past = session.delta === null ? withoutSummaryQuestion(told.items) : null;
  const synced = await (past !== null
    ? syncBeside(deps, session, told, past)
    : session.delta === null
      ? syncAll(deps, session, told)
      : appendDelta(deps, session.ref, session.delta, told.items));
  if (!synced.ok) return synced;
  const { session_id, version } = synced.value;
  const ref = { tenant: request.tenant, session_id };
  // The next body of its session goes on from another one.
  const kept = past === null ? session : { ...session, telling: null };
  return accept({ kind: 'kept', ref, version, session: kept });
}

/** The same; null where there is no such session, or that fails: the next request holds the history again. */
export async function keepWhereItCan(
  deps: PlanDeps,
  request: TurnRequest,
  body: JsonObject,
  told: Told,
): Promise<KeptTurn | null> {
  try {
    const kept = await keepTurn(deps, request, body, told);
    return kept.ok && kept.value.kind === 'kept' ? kept.value : null;
  } catch (error) {
    if (error instanceof ElsewhereError) throw error;
    return null;
  }
}

/** `past`: the history without its last question, which the conversation goes on without: that has a fork. */
async function syncBeside(
  deps: PlanDeps,
  session: TurnSession,
  told: Told,
  past: Item[],
): Promise<Outcome<{ session_id: string; version: number }>> {
  const whole = { ...session, telling: null };
  const kept = await syncAll(deps, whole, { items: past, is_excerpt: true });
  if (!kept.ok) return kept;
  const { session_id, version } = kept.value;
  const parent = { tenant: session.ref.tenant, session_id };
  const begun = await beginBranch(deps, parent, version, 'summary');
  return begun.ok ? syncAll(deps, { ...whole, ref: begun.value }, told) : begun;
}

async function syncAll(
  deps: PlanDeps,
  { ref, rule, telling }: TurnSession,
  { items, is_excerpt = false }: Pick<Told, 'items' | 'is_excerpt'>,
): Promise<Outcome<{ session_id: string; version: number }>> {
  const done = await sync(deps, ref, {
    items,
    format: undefined,
    on_divergence: 'fork',
    is_excerpt,
    reads_context: false,
    vary_after: varyAfter(rule),
    ...(telling !== null && { telling }),
    expected: null,
    idempotency: null,
  });
  return done.ok ? accept(done.value.synced) : done;
}
