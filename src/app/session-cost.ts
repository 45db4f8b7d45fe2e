import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CompactionCost,
  type CostContext,
  compactionCost,
  mainPrice,
  NO_SESSION_COST,
  rounded,
  withCost,
} from '../domain/session/compaction-cost.ts';
import { accept } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import { recordedCostSchema } from '../domain/session/recorded-cost.ts';
import { changedContext } from './changed-context.ts';
import { findSession } from './find.ts';
import type { CompactionRow, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

const ROWS_PER_READ = 500;

/** What the costs of a session are reckoned with: its model, else the one that its answers name. */
export function costContext(
  { prices }: Pick<Ports, 'prices'>,
  { settings, state }: Head,
): CostContext {
  return { prices, model: settings.model ?? state.calls.model, calls: state.calls.count };
}

/** The cost of one compaction, from its row alone. */
export function costOf(row: CompactionRow, context: CostContext): CompactionCost {
  const { tokens_before, tokens_after } = row;
  const recorded = recordedCostSchema.parse(JSON.parse(row.cost));
  const is_in_place = changedContext(row) && row.reverted_at === null;
  return compactionCost({ recorded, tokens_before, tokens_after, is_in_place }, context);
}

/** What all compactions of a session have cost and saved so far (SPEC section 20). Rejects: session_not_found. */
export async function sessionCost(ports: Pick<Ports, 'store' | 'prices'>, ref: SessionRef) {
  const session = await findSession(ports.store, ref);
  if (!session.ok) return session;
  const context = costContext(ports, session.value);
  let total = NO_SESSION_COST;
  for (let cursor: string | undefined; ; ) {
    const page = await ports.store.compactions(ref, { limit: ROWS_PER_READ, cursor });
    for (const row of page.data) total = withCost(total, costOf(row, context));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
    await nextTurn();
  }
  const { price, reason } = mainPrice(context);
  return accept({
    session_id: ref.session_id,
    model: context.model,
    calls: context.calls,
    prices_date: ports.prices.date,
    model_price: price && {
      input: price.input,
      output: price.output,
      cache_read: price.cache_read,
      cache_write: price.cache_write,
    },
    model_unpriced: reason,
    ...total,
    net_usd: total.unpriced.compactions > 0 ? null : rounded(total.saved_usd - total.usd),
  });
}
