import type { CompactionCost } from '../domain/session/compaction-cost.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import { type Compaction, compactionOf } from './compaction-detail.ts';
import { findSession } from './find.ts';
import type { Page, PageQuery, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { costContext, costOf } from './session-cost.ts';

/** The compactions of a session, newest first. Rejects: session_not_found. */
export async function listCompactions(
  ports: Pick<Ports, 'store' | 'prices'>,
  ref: SessionRef,
  page: PageQuery,
): Promise<Outcome<Page<Compaction & { cost: CompactionCost }>>> {
  const { store } = ports;
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const { data, next_cursor } = await store.compactions(ref, page);
  const context = costContext(ports, session.value);
  const costed = data.map((row) => ({ ...compactionOf(ref, row), cost: costOf(row, context) }));
  return accept({ data: costed, next_cursor });
}
