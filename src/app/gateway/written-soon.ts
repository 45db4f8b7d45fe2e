import { setTimeout } from 'node:timers/promises';
import type { Summary } from '../../domain/compaction/finish-full.ts';
import type { SummaryOrder } from '../../domain/compaction/summary-order.ts';
import type { Ports } from '../ports/ports.ts';

/**
 * A summary by the operator's model, for which nobody waits longer than `wait_seconds`; else one that
 * asks no model. Null when there is not even that.
 */
export async function writtenSoon(
  { summarize }: Pick<Ports, 'summarize'>,
  order: SummaryOrder,
  wait_seconds: number,
): Promise<Summary | null> {
  const late = new AbortController();
  const over = new AbortController();
  const written = await Promise.race([
    summarize(order, late.signal).catch(() => null),
    setTimeout(wait_seconds * 1000, null, { signal: over.signal }).catch(() => null),
  ]);
  over.abort();
  late.abort();
  if (written?.ok) return written.summary;
  const config = { ...order.config, summarization_model: 'extractive' };
  const offline = await summarize({ ...order, config }, new AbortController().signal);
  return offline.ok ? offline.summary : null;
}
