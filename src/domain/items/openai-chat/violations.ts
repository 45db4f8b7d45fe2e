import { isJsonObject, objectsIn } from '../../json.ts';
import { CONTROL_TYPES, type Item, OWN_MESSAGE_FIELDS } from '../item.ts';

// Stands by itself: it shares nothing with the renderer that it checks.

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** The rules of the Chat Completions API that a rendered context breaks, see `Codec.violations`. */
export function openaiChatViolations(rendered: readonly Item[]): string[] {
  const found: string[] = [];
  /** Calls of the assistant message whose results may follow now. */
  let waiting = new Set<string>();
  for (const [index, message] of rendered.entries()) {
    const say = (text: string) => found.push(`message ${index}: ${text}`);
    checkFields(message, say);
    checkContent(message, say);
    if (message.role === 'tool' || message.role === 'function') {
      const id = resultKey(message);
      if (!waiting.delete(id)) say(`the result of ${id} does not follow its call`);
      continue;
    }
    for (const id of waiting) say(`the call ${id} before it has no result`);
    waiting = checkCalls(message, say);
  }
  return found;
}

type Say = (text: string) => void;

function checkFields(message: Item, say: Say): void {
  if (CONTROL_TYPES.some((type) => type === message.type)) say('a control item reached the model');
  for (const field of [...OWN_MESSAGE_FIELDS, 'id']) {
    if (field in message) say(`the provider refuses the field "${field}"`);
  }
  if (!ROLES.some((role) => role === message.role)) say('the role is unknown');
}

function checkContent(message: Item, say: Say): void {
  const { content, role } = message;
  const isResult = role === 'tool' || role === 'function';
  const parts = objectsIn(content);
  if (parts.some((part) => part.type === 'text' && part.text === '')) say('a text part is empty');
  if (isResult && parts.some((part) => part.type !== 'text')) {
    say('a result holds a part that is no text');
  }
  if (typeof content === 'string' ? content !== '' || isResult : parts.length > 0) return;
  const hasOther =
    role === 'assistant' &&
    (objectsIn(message.tool_calls).length > 0 ||
      isJsonObject(message.function_call) ||
      isJsonObject(message.audio) ||
      Boolean(message.refusal));
  if (!hasOther) say('the content is empty');
}

function checkCalls(message: Item, say: Say): Set<string> {
  const ids = new Set<string>();
  const { tool_calls: calls, function_call: legacy } = message;
  if (Array.isArray(calls) && calls.length === 0) say('tool_calls is an empty array');
  for (const call of objectsIn(calls)) {
    const id = String(call.id);
    if (ids.has(id)) say(`the call id ${id} occurs twice`);
    ids.add(id);
    if (call.type !== 'function' && call.type !== 'custom') say(`the call ${id} has no type`);
    const body = call.type === 'custom' ? call.custom : call.function;
    const input = isJsonObject(body) ? (body.arguments ?? body.input) : undefined;
    if (typeof input !== 'string') say(`the arguments of the call ${id} are not a string`);
  }
  if (isJsonObject(legacy)) ids.add(`function ${String(legacy.name)}`);
  if (ids.size > 0 && message.role !== 'assistant') say('only an assistant calls tools');
  return ids;
}

function resultKey(message: Item): string {
  if (message.role === 'function') return `function ${String(message.name)}`;
  return String(message.tool_call_id);
}
