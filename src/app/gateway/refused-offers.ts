import { withoutTools } from '../../domain/gateway/recall/offer.ts';
import { memberRange } from '../../domain/gateway/replace-member.ts';
import { lastUsed } from '../last-used.ts';
import type { PlannedTurn } from './plan-turn.ts';
import { readable, type TurnAsked } from './turn-request.ts';
import { LONGEST_MODEL } from './turn-settings.ts';

const MOST_REFUSED = 10_000;
/** For so long a model goes without recall; then it is tried again. */
const REFUSED_MS = 3_600_000;

/** The models that take no tools, by their sessions: they go on without recall. */
export class RefusedOffers {
  readonly #refused = lastUsed<true>(MOST_REFUSED, REFUSED_MS);

  /** A turn as it may go upstream: without our tools where its model has refused them. */
  heeded(request: TurnAsked, plan: PlannedTurn): PlannedTurn {
    if (this.#refused.size === 0 || plan.recall === null) return plan;
    const key = keyOf(request, plan);
    const isRefused = key !== null && this.#refused.has(key);
    return isRefused ? (withoutOffer(request, plan) ?? plan) : plan;
  }

  note(request: TurnAsked, plan: PlannedTurn): void {
    const key = keyOf(request, plan);
    if (key !== null) this.#refused.set(key, true);
  }
}

/** A turn without our tools; null where it offers none. */
export function withoutOffer(request: TurnAsked, plan: PlannedTurn): PlannedTurn | null {
  if (plan.recall === null || plan.body === null) return null;
  const body = plan.is_replaced ? withoutTools(plan.body, readable(request).text) : null;
  return { ...plan, body, recall: null };
}

/** Null for longer names of models than are kept. */
function keyOf(request: TurnAsked, { session_id }: PlannedTurn): string | null {
  const { text, tenant } = readable(request);
  const range = memberRange(text, 'model');
  const model = range && text.slice(range.start, range.end);
  if (model !== null && model.length > LONGEST_MODEL) return null;
  return JSON.stringify([tenant, session_id, model]);
}
