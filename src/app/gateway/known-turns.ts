import { formatOf } from '../../domain/gateway/protocol.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { type KnownBeginning, KnownBodies, keptBody } from '../known-bodies.ts';
import { hasMark } from '../known-rest.ts';
import { sessionKey } from '../session-key.ts';
import { type NamedBy, namedSession } from './find-turn-session.ts';
import type { PlanDeps } from './plan-deps.ts';
import { planKnownTurn } from './plan-known-turn.ts';
import type { TurnPlan } from './plan-turn.ts';
import type { TurnAsked } from './turn-request.ts';

/** Plans turns from what is new of their bodies, where their beginnings are known. */
export class KnownTurns {
  readonly #deps: PlanDeps;
  readonly #bodies = new KnownBodies();

  constructor(deps: PlanDeps) {
    this.#deps = deps;
  }

  /** What a body has behind its known beginning; all of it where it has none. */
  async unread(request: NamedBy, body: Uint8Array): Promise<Uint8Array> {
    const session = nameOf(request);
    const beginning = session === null ? null : await this.#bodies.beginning(session, body);
    return beginning === null ? body : body.subarray(beginning.place.end);
  }

  /** `whole`: plans a turn from all of its body. Rejects and throws what that does. */
  async plan(
    request: TurnAsked,
    whole: () => Promise<Outcome<TurnPlan>>,
  ): Promise<Outcome<TurnPlan>> {
    const session = nameOf(request);
    if (session === null) return whole();
    const beginning = await this.#bodies.beginning(session, request.body);
    const known = beginning && (await planKnownTurn(this.#deps, request, beginning));
    const planned = known === null ? await whole() : accept(known);
    const plan = planned.ok ? planned.value : null;
    this.#note(session, request, plan, known === null ? null : beginning);
    return planned;
  }

  #note(
    session: string,
    request: TurnAsked,
    plan: TurnPlan | null,
    beginning: KnownBeginning | null,
  ): void {
    const isOwn = plan?.kind === 'turn' && plan.session_id === namedSession(request)?.session_id;
    const outline = isOwn && !hasMark(request.body) ? plan.outline : null;
    if (!isOwn || outline === null) {
      this.#bodies.forget(session);
      return;
    }
    const { upstream, protocol, body } = request;
    this.#deps.histories.note(upstream, formatOf(protocol), outline.told, plan.history);
    this.#bodies.keep(session, keptBody(body, outline, beginning));
  }
}

function nameOf(request: NamedBy): string | null {
  const ref = namedSession(request);
  return ref && sessionKey(ref);
}
