import { flawOf, JSON_DEPTH } from '../../domain/exact-json.ts';
import { historyOf, isTrigger } from '../../domain/gateway/protocol.ts';
import { type Refusal, serverSideThread, unreadableItem } from '../../domain/gateway/refusal.ts';
import { summaryTurn } from '../../domain/gateway/summary-turn.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../domain/json.ts';
import { MOST_VALUES, measureJson } from '../../domain/json-text.ts';
import type { OpaqueContent } from '../opaque-content.ts';
import { type Expanded, expandContent } from './expand-content.ts';
import type { TurnRequest } from './turn-request.ts';

/** Why a request goes upstream as it came, without a session. */
export type PassReason =
  | 'too_many_values'
  | 'no_json'
  | 'no_history'
  | 'unknown_answer'
  | 'nothing_to_compact'
  | 'conversation';

/** What the client asks for in place of an answer of a model. */
export type Asks =
  /** Codex: one compaction item. */
  | { kind: 'item' }
  /** Claude Code: a summary as text, which its user wants to tell about `focus`. */
  | { kind: 'summary'; focus: string | null };

/** A request as it was understood. */
export type ReadTurn =
  | { kind: 'pass'; reason: PassReason }
  /** It holds what cannot be sent on, nor left out. */
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'read'; body: JsonObject; history: Expanded; asks: Asks | null };

/** The depth is looked at where it is parsed. */
const MOST_JSON = { values: MOST_VALUES, depth: Number.POSITIVE_INFINITY };

/** Reads a request for an answer; `asks` has been taken out of its history. */
export async function readTurn(
  { opaque }: { opaque: OpaqueContent },
  { protocol, tenant, text }: TurnRequest,
): Promise<ReadTurn> {
  if (measureJson(text, MOST_JSON).values > MOST_JSON.values) return pass('too_many_values');
  const body = parsed(text);
  if (body === null) return pass('no_json');
  if (protocol === 'messages' && isJsonObject(body.thread)) return refused(serverSideThread());
  // The provider keeps that history itself.
  if (body.conversation !== undefined && body.conversation !== null) return pass('conversation');
  const summary =
    protocol === 'messages' && Array.isArray(body.messages) && body.messages.every(isJsonObject)
      ? summaryTurn(body.messages)
      : null;
  const told = historyOf(
    protocol,
    summary === null ? body : { ...body, messages: summary.messages },
  );
  if (told === null) return pass('no_history');
  const isItem = protocol === 'responses' && isTrigger(told.at(-1));
  const expanded = await expandContent(opaque, tenant, isItem ? told.slice(0, -1) : told);
  if (!expanded.ok) return refused(unreadableItem(expanded.rejection));
  const asks: Asks | null = isItem
    ? { kind: 'item' }
    : summary && { kind: 'summary', focus: summary.focus };
  return { kind: 'read', body, history: expanded.value, asks };
}

function pass(reason: PassReason): ReadTurn {
  return { kind: 'pass', reason };
}

function refused(refusal: Refusal): ReadTurn {
  return { kind: 'refused', refusal };
}

/** Null for what is no JSON object, or none that could be sent on as it is meant. */
function parsed(text: string): JsonObject | null {
  return flawOf(text, JSON_DEPTH) === null ? jsonObjectIn(text) : null;
}
