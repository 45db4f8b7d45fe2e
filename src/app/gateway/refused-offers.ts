import { withoutTools } from '../../domain/gateway/recall/offer.ts';
import { memberRange } from '../../domain/gateway/replace-member.ts';
import { lastUsed } from '../last-used.ts';
import type { PlannedTurn } from './plan-turn.ts';
import { readable, type TurnAsked } from './turn-request.ts';

const MOST_REFUSED = 10_000;
/** For so long a model goes without recall; then it is tried again. */
const REFUSED_MS = 3_600_000;

/** The models that take no tools, by their sessions: they go on without recall. */
export class RefusedOffers {
  readonly #refused = lastUsed<true>(MOST_REFUSED, REFUSED_MS);

  /** A turn as it may go upstream: without our tools where its model has refused them. */
  heeded(request: TurnAsked, plan: PlannedTurn): PlannedTurn {
    if (this.#refused.size === 0 || plan.recall === null) return plan;
    return this.#refused.has(keyOf(request, plan)) ? (withoutOffer(request, plan) ?? plan) : plan;
  }

  note(request: TurnAsked, plan: PlannedTurn): void {
    this.#refused.set(keyOf(request, plan), true);
  }
}

/** A turn without our tools; null where it offers none. */
export function withoutOffer(request: TurnAsked, plan: PlannedTurn): PlannedTurn | null {
  if (plan.recall === null || plan.body === null) return null;
  const body = plan.is_replaced ? withoutTools(plan.body, readable(request).text) : null;
  return { ...plan, body, recall: null };
}

function keyOf(request: TurnAsked, { session_id }: PlannedTurn): string {
  const { text, tenant } = readable(request);
  const model = memberRange(text, 'model');
  return JSON.stringify([tenant, session_id, model && text.slice(model.start, model.end)]);
}
