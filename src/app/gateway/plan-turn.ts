import { renderEntries } from '../../domain/context/render.ts';
import { isInForce, isOnlyAppended } from '../../domain/gateway/in-force.ts';
import { withInstructionsAsTold } from '../../domain/gateway/instructions-as-told.ts';
import { splitPassing } from '../../domain/gateway/passing-context.ts';
import { withTools } from '../../domain/gateway/recall/offer.ts';
import type { Refusal } from '../../domain/gateway/refusal.ts';
import { roughlySaved } from '../../domain/gateway/rough-tokens.ts';
import { codecFor } from '../../domain/items/codecs.ts';
import type { Item } from '../../domain/items/item.ts';
import type { JsonObject } from '../../domain/json.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { configOf, contextTokens, type Head } from '../../domain/session/head.ts';
import { usableWindow } from '../../domain/tokens/thresholds.ts';
import { eventAt } from '../event-at.ts';
import { findSession } from '../find.ts';
import type { BodyOutline } from '../known-bodies.ts';
import { loadViewHere } from '../load-view.ts';
import type { SessionRef } from '../ports/event-store.ts';
import { outlineOf } from './body-outline.ts';
import { bodyWith, tokensBeside } from './body-with.ts';
import { hasMovedOn } from './branches.ts';
import type { Expanded } from './expand-content.ts';
import { expandReferences } from './expand-references.ts';
import type { TurnSession } from './find-turn-session.ts';
import { keepTurn } from './keep-turn.ts';
import type { Offering, PlanDeps } from './plan-deps.ts';
import { type PassReason, readTurn } from './read-turn.ts';
import type { TurnRequest } from './turn-request.ts';
import { modelWindow } from './turn-settings.ts';

/** How a request goes upstream. */
export type TurnPlan =
  | { kind: 'pass'; reason: PassReason }
  /** The client asks for a compaction of its history: nothing was done yet. */
  | { kind: 'asks' }
  /** It holds what cannot be sent on, nor left out. */
  | { kind: 'refused'; refusal: Refusal }
  | {
      kind: 'turn';
      session_id: string;
      version: number;
      /** The body with the context in place of the history; null: the original bytes. */
      body: string | null;
      /** Whether the context stands in it in place of the history. */
      is_replaced: boolean;
      /** Calls of our tools, which the body offers, are answered here; null: it offers none. */
      recall: { rounds: number } | null;
      /** About how many tokens the context is shorter than the history. */
      saved: number;
      /** The context would overflow the window, of so many tokens. */
      isFull: boolean;
      window: number;
      /** The tokens that the model of this request can read; null where they are not known. */
      model_window: number | null;
      /** It was shortened by itself: what its provider counts is not the context of the session. */
      isFitted: boolean;
      /** Whether the provider keeps the answer, whose items later requests may name by their ids. */
      isStored: boolean;
      /** It holds only what is new after an answer: `history` is none that anybody will tell. */
      isDelta: boolean;
      /** What the session is to be found by, and the history up to here. */
      keys: string[];
      history: TurnSession['history'];
      /** Where the next body of its session may be gone on from; null: it is read as a whole. */
      outline: BodyOutline | null;
    };

/** One that goes on in a session. */
export type PlannedTurn = Extract<TurnPlan, { kind: 'turn' }>;

/**
 * Brings the session of a request up to the history that it holds, and says what goes upstream (SPEC 2,
 * section 23). Rejects what a sync rejects. Throws ElsewhereError (asked again elsewhere it goes on where
 * it was), and what the store throws.
 */
export async function planTurn(
  deps: PlanDeps & Offering,
  request: TurnRequest,
): Promise<Outcome<TurnPlan>> {
  const read = await readTurn(deps, request);
  if (read.kind === 'pass') return pass(read.reason);
  if (read.kind === 'refused') return accept(read);
  if (read.asks !== null) return accept({ kind: 'asks' });
  const history = await expandReferences(deps, request, read.history);
  return history === null
    ? pass('too_many_values')
    : planInSession(deps, request, read.body, history);
}

async function planInSession(
  deps: PlanDeps & Offering,
  request: TurnRequest,
  body: JsonObject,
  history: Expanded,
): Promise<Outcome<TurnPlan>> {
  const { items, isOurs } = history;
  const { lasting, passing } = splitPassing(request.protocol, items);
  const told = passing.length === 0 ? history : { ...history, items: [...lasting] };
  const kept = await keepTurn(deps, request, body, told);
  if (!kept.ok) return kept;
  if (kept.value.kind !== 'kept') return pass('unknown_answer');
  const { ref, session } = kept.value;
  const found = await findSession(deps.store, ref);
  if (!found.ok) return found;
  const head = found.value;
  // With nothing new it is asked again for what follows the answer, whatever the log has said since; and
  // the same request, sent at the same moment, may have been answered just now.
  const isOutrun = session.delta !== null && (await hasMovedOn(deps, ref, kept.value.version));
  const version = items.length === 0 || isOutrun ? kept.value.version : head.state.version;
  const original = request.text;
  const config = configOf(head.settings, deps.world.server);
  const replaced = await contextInForce(deps, ref, head, lasting, {
    version,
    isForced: isOurs,
    mayHide: config.gateway_recall,
    isDelta: session.delta !== null,
  });
  const text =
    replaced === null
      ? null
      : bodyWith(request.protocol, original, body, { items, context: [...replaced, ...passing] });
  const offering = config.gateway_recall
    ? withTools(request.protocol, text ?? original, body, deps.offered)
    : null;
  return accept({
    kind: 'turn',
    session_id: ref.session_id,
    version,
    body: offering ?? text,
    is_replaced: text !== null,
    recall: offering === null ? null : { rounds: config.gateway_recall_rounds },
    saved: text === null ? 0 : roughlySaved(lengthOf(original, history), text.length),
    isFull: isFull(deps, head, () => tokensBeside(request.protocol, original)),
    window: head.settings.context_window,
    model_window: modelWindow(deps, request, body),
    isFitted: false,
    isStored: request.protocol === 'responses' && body.store !== false,
    isDelta: session.delta !== null,
    keys: session.keys,
    history: session.history,
    outline:
      session.telling === null || passing.length > 0 || isOurs || text !== null || offering !== null
        ? null
        : outlineOf(request, body, items, session.telling),
  });
}

/** Of what the model reads: more than the request holds, where that only names a part of it. */
function lengthOf(text: string, { items, referred_session_id }: Expanded): number {
  return referred_session_id === undefined
    ? text.length
    : Math.max(text.length, JSON.stringify(items).length);
}

function pass(reason: PassReason): Outcome<TurnPlan> {
  return accept({ kind: 'pass', reason });
}

/** A header takes neither blanks nor signs. */
export function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : 'error';
  return /^[\w-]{1,60}$/.test(name) ? name : 'error';
}

type InForce = { version: number; isForced: boolean; mayHide: boolean; isDelta: boolean };

/** The rendered context where it has to take the place of the history; else null. */
async function contextInForce(
  deps: PlanDeps,
  ref: SessionRef,
  { state, settings }: Head,
  history: readonly Item[],
  { version, isForced, mayHide, isDelta }: InForce,
): Promise<Item[] | null> {
  if (!isForced && !mayHide && isOnlyAppended(state)) return null;
  const view = await loadViewHere(deps, ref, version);
  if (view === null) return null;
  const base = view.base === null ? null : await eventAt(deps.store, ref, view.base.version);
  const codec = codecFor(settings.format);
  if (!isForced && !isInForce(codec, view, base?.type ?? null, history)) return null;
  // What goes on from an answer tells its instructions behind it, where the log has them.
  const entries = isDelta ? view.entries : withInstructionsAsTold(codec, view.entries, history);
  return renderEntries(entries, settings.format, settings.format);
}

/**
 * Whether the context, with what stands beside it in the request, leaves no room in the window. `beside`:
 * the tokens of that, about.
 */
export function isFull(
  { world }: Pick<PlanDeps, 'world'>,
  { settings, state }: Head,
  beside: () => number,
): boolean {
  const config = configOf(settings, world.server);
  const tokens = contextTokens(state, config) + (state.usage === null ? beside() : 0);
  return tokens >= usableWindow(config, settings.context_window);
}
