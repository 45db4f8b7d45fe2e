import { z } from 'zod';
import { type Usage, usageSchema } from '../items/item.ts';
import type { Candidate, EventOf } from './events.ts';
import { isPaid, NO_TOKENS, sumOfUsage } from './summarizer-usage.ts';

/** What was paid to one model; null where the log does not name it. */
const paidSchema = z.strictObject({ model: z.string().nullable(), usage: usageSchema });
type Paid = z.infer<typeof paidSchema>;

/** What the log says of the cost of one compaction: a fold of its events. */
export const recordedCostSchema = z.strictObject({
  /** For answers that came to nothing. */
  failed: z.array(paidSchema),
  /** For the answer that was used, or would have been. */
  answer: paidSchema.nullable(),
  /** Calls of the session's model before it was put in place; null: it was not, or an old release did. */
  calls: z.int().min(0).nullable(),
  cached_share: z.number().nullable(),
});
export type RecordedCost = z.infer<typeof recordedCostSchema>;

export const NO_COST: RecordedCost = { failed: [], answer: null, calls: null, cached_share: null };

/** Events that change the cost of their compaction. */
type CostEvent =
  | EventOf<'compaction.failed'>
  | EventOf<'compaction.skipped'>
  | EventOf<'compaction.proposed'>
  | EventOf<'compaction.completed'>
  | EventOf<'compaction.micro_completed'>;

/** The cost after one more event of the compaction. */
export function costAfter(cost: RecordedCost, event: CostEvent): RecordedCost {
  switch (event.type) {
    case 'compaction.failed': {
      const { usage, model = null } = event.data;
      if (usage === undefined) return cost;
      return { ...cost, failed: [...cost.failed, { model, usage }] };
    }
    case 'compaction.skipped': {
      const { usage, model = null } = event.data;
      return usage === undefined ? cost : { ...cost, answer: answerOf(cost, usage, model) };
    }
    case 'compaction.proposed':
      return { ...cost, answer: answerIn(cost, event.data.candidate) };
    case 'compaction.micro_completed':
      return { ...cost, ...placed(event.data.cost_basis) };
    case 'compaction.completed':
      return {
        ...cost,
        answer: answerIn(cost, event),
        ...placed(event.data.report.cost_basis),
      };
    default:
      return event satisfies never;
  }
}

function placed(basis: { calls: number; cached_share: number | null } | undefined) {
  return { calls: basis?.calls ?? null, cached_share: basis?.cached_share ?? null };
}

function answerIn(
  cost: RecordedCost,
  event: Candidate | EventOf<'compaction.completed'>,
): Paid | null {
  if (event.type !== 'compaction.completed') return null;
  const { usage, model } = event.data.report;
  return answerOf(cost, usage, model);
}

/** Of what all answers have cost, the part of those that did not fail. */
function answerOf({ failed }: RecordedCost, total: Usage, model: string | null): Paid | null {
  const lost = failed.reduce((sum, { usage }) => sumOfUsage(sum, usage), NO_TOKENS);
  const rest = (name: keyof Usage) => Math.max(0, total[name] - lost[name]);
  const usage: Usage = {
    input: rest('input'),
    output: rest('output'),
    cache_read: rest('cache_read'),
    cache_creation: rest('cache_creation'),
  };
  return isPaid(usage) ? { model, usage } : null;
}
