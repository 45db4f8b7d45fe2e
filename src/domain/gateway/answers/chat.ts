import type { Item } from '../../items/item.ts';
import { REASONING_FIELDS } from '../../items/openai-chat/reasoning.ts';
import { isJsonObject, type JsonObject, objectsIn, stringField } from '../../json.ts';
import type { Answer, AnswerReader } from './answer.ts';
import { ChatCallPlaces } from './chat-call-places.ts';
import { joinedReasoning } from './chat-reasoning.ts';

/** Answers of the Chat Completions API. Of several choices the first is the one that goes on. */
export const chatAnswer: AnswerReader = {
  ofBody: (body) => {
    const choice = firstChoice(body);
    if (choice === undefined || !isJsonObject(choice.message)) return null;
    return answerOf(stringField(body, 'id'), choice.message, body, true);
  },
  ofEvents: (events) => {
    const message: JsonObject = { role: 'assistant', content: null };
    const calls = new Map<number, JsonObject>();
    const places = new ChatCallPlaces();
    const thoughts = new Map<string, JsonObject[]>();
    const inPieces: JsonObject = {};
    let facts: JsonObject = {};
    let isWhole = false;
    for (const event of events) {
      facts = { ...facts, ...(isJsonObject(event.usage) && { usage: event.usage }) };
      facts.id ??= event.id ?? null;
      facts.model ??= event.model ?? null;
      const choice = firstChoice(event);
      if (choice === undefined) continue;
      if (typeof choice.finish_reason === 'string') isWhole = true;
      if (!isJsonObject(choice.delta)) continue;
      for (const field of ['content', 'refusal', ...REASONING_FIELDS]) {
        const text = stringField(choice.delta, field);
        if (text !== undefined) message[field] = (stringField(message, field) ?? '') + text;
        const pieces = objectsIn(choice.delta[field]);
        if (pieces.length === 0) continue;
        const before = thoughts.get(field);
        if (before === undefined) thoughts.set(field, pieces);
        else for (const piece of pieces) before.push(piece);
      }
      for (const delta of objectsIn(choice.delta.tool_calls)) {
        addCall(calls, places.of(delta), delta);
      }
      for (const field of JOINED) {
        const piece = choice.delta[field];
        const before = inPieces[field] ?? {};
        if (isJsonObject(piece) && isJsonObject(before)) inPieces[field] = joined(before, piece);
      }
    }
    const tool_calls = [...calls].sort(([a], [b]) => a - b).map(([, call]) => call);
    // Of a call that was cut off nobody knows whether its arguments are all there.
    if (isWhole && tool_calls.length > 0) message.tool_calls = tool_calls;
    if (isWhole) Object.assign(message, withoutSound(inPieces));
    // Nor what was signed.
    if (isWhole) for (const [field, pieces] of thoughts) message[field] = joinedReasoning(pieces);
    return answerOf(stringField(facts, 'id'), message, facts, isWhole);
  },
};

function firstChoice({ choices }: JsonObject): JsonObject | undefined {
  return objectsIn(choices).find(({ index = 0 }) => index === 0);
}

function addCall(calls: Map<number, JsonObject>, at: number, delta: JsonObject): void {
  const { index: _, ...rest } = delta;
  const call = calls.get(at);
  if (call === undefined) {
    calls.set(at, rest);
    return;
  }
  for (const [field, value] of Object.entries(rest)) {
    const before = call[field];
    if (isJsonObject(before) && isJsonObject(value)) call[field] = joined(before, value);
    else if (before === undefined || before === null) call[field] = value;
  }
}

/** Of a message, what comes in pieces beside its texts and calls: a call of `functions`, and speech. */
const JOINED = ['function_call', 'audio'];
/** Of such a part, what comes in pieces; all else comes at once. */
const PIECES: ReadonlySet<string> = new Set(['arguments', 'input', 'transcript']);

function joined(before: JsonObject, delta: JsonObject): JsonObject {
  const all = { ...before };
  for (const [field, value] of Object.entries(delta)) {
    const old = all[field];
    const isPiece = PIECES.has(field) && typeof old === 'string';
    if (isPiece && typeof value === 'string') all[field] = old + value;
    else if (old === undefined || old === null || old === '') all[field] = value;
  }
  return all;
}

/** Pieces of sound are base64 each by itself, and nobody sends them back: what was said stands beside. */
function withoutSound({ audio, ...message }: JsonObject): JsonObject {
  if (!isJsonObject(audio)) return message;
  const { data: _, ...said } = audio;
  return { ...message, audio: said };
}

/** What the message means; what clients do not send back, such as `annotations`, is left out. */
const KEPT = [
  ...['content', 'refusal', ...REASONING_FIELDS],
  ...['tool_calls', 'function_call', 'audio'],
];

function answerOf(
  id: string | undefined,
  message: JsonObject,
  { usage, model }: JsonObject,
  isWhole: boolean,
): Answer {
  const kept = KEPT.flatMap((field) => {
    const value = message[field];
    const isEmpty = value === undefined || (value === null && field !== 'content');
    return isEmpty || (Array.isArray(value) && value.length === 0) ? [] : [[field, value] as const];
  });
  const says = kept.some(([, value]) => value !== null && value !== '');
  const item: Item = {
    role: 'assistant',
    ...Object.fromEntries(kept),
    ...(typeof model === 'string' && { model }),
    ...(isWhole && isJsonObject(usage) && { usage }),
  };
  return { id: id ?? null, items: says ? [item] : [], isWhole };
}
