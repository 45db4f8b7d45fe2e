import { isJsonObject, type JsonObject, objectsIn, stringField } from '../../json.ts';
import type { ResultEdits } from '../codec.ts';
import { decodeArguments } from '../decode-arguments.ts';
import type { Item, ToolCall } from '../item.ts';
import { withInput } from '../replace-input.ts';

/** The tool calls of an assistant message, the old single `function_call` among them. */
export function callsOf(message: Item): ToolCall[] {
  const calls = objectsIn(message.tool_calls).map(callOf);
  const legacy = message.function_call;
  if (isJsonObject(legacy)) {
    calls.push({
      kind: 'tool_call',
      id: legacyId(legacy),
      name: stringField(legacy, 'name') ?? '',
      input: decodeArguments(legacy.arguments),
      source: legacy,
    });
  }
  return calls;
}

function callOf(call: JsonObject): ToolCall {
  const definition = isJsonObject(call.function) ? call.function : call.custom;
  const body = isJsonObject(definition) ? definition : {};
  return {
    kind: 'tool_call',
    id: stringField(call, 'id') ?? '',
    name: stringField(body, 'name') ?? '',
    input: body === call.custom ? (body.input ?? '') : decodeArguments(body.arguments),
    source: call,
  };
}

/** The message with the arguments, or the free text, of the named calls replaced. */
export function withInputs(message: Item, edits: ResultEdits): Item {
  const { tool_calls, function_call } = message;
  const edited: Item = { ...message };
  if (Array.isArray(tool_calls)) {
    edited.tool_calls = tool_calls.map((call) => {
      if (!isJsonObject(call)) return call;
      const text = edits.get(stringField(call, 'id') ?? '');
      if (isJsonObject(call.function)) {
        return { ...call, function: withInput(call.function, 'arguments', text) };
      }
      if (isJsonObject(call.custom)) {
        return { ...call, custom: withInput(call.custom, 'input', text) };
      }
      return call;
    });
  }
  if (isJsonObject(function_call)) {
    const text = edits.get(legacyId(function_call));
    edited.function_call = withInput(function_call, 'arguments', text);
  }
  return edited;
}

/** The id of the call that a message answers, or undefined when it is no tool result. */
export function answeredCallId(message: Item): string | undefined {
  if (message.role === 'tool') return stringField(message, 'tool_call_id') ?? '';
  if (message.role === 'function') return legacyId(message);
  return undefined;
}

// A function_call has no id: the function's name is all that joins it to its result.
function legacyId(named: JsonObject): string {
  return `function_call:${stringField(named, 'name') ?? ''}`;
}

/** A result message for a call of the given message, in the shape that its kind of call takes. */
export function resultMessage(call: ToolCall, text: string): Item {
  const isLegacy = isJsonObject(call.source) && call.source.id === undefined;
  return isLegacy
    ? { role: 'function', name: call.name, content: text }
    : { role: 'tool', tool_call_id: call.id, content: text };
}
