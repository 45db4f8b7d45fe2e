import { type Entry, isObject, type Options, objects } from './reading.ts';

/** The rules of the Chat Completions API that its types do not say. */
export function chatProblems(context: readonly Entry[], { isConverted }: Options): string[] {
  const found: string[] = [];
  let waiting = new Set<unknown>();
  for (const [index, message] of context.entries()) {
    const say = (text: string) => found.push(`${index}: ${text}`);
    if (message.role === 'tool' || message.role === 'function') {
      const id =
        message.role === 'tool' ? message.tool_call_id : `function ${String(message.name)}`;
      if (!waiting.delete(id)) say(`the result of ${String(id)} does not follow its call`);
      continue;
    }
    for (const id of waiting)
      found.push(`${index}: the call ${String(id)} before it has no result`);
    waiting = new Set();
    for (const call of objects(message.tool_calls)) {
      if (waiting.has(call.id)) say(`two calls with the id ${String(call.id)}`);
      waiting.add(call.id);
      if (isConverted) checkNames(call, say);
    }
    if (isObject(message.function_call)) {
      waiting.add(`function ${String(message.function_call.name)}`);
    }
    if (Array.isArray(message.tool_calls) && message.tool_calls.length === 0) say('no tool calls');
    const isNothing = (message.content ?? '') === '' && waiting.size === 0;
    if (isNothing && !message.refusal && !message.audio) say('empty content');
    for (const { type, text } of objects(message.content)) {
      if (type === 'text' && text === '') say('an empty text part');
    }
  }
  return found;
}

function checkNames(call: Entry, say: (text: string) => void): void {
  const body = isObject(call.function) ? call.function : {};
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(body.name))) say(`the tool name ${String(body.name)}`);
  if (String(call.id).length > 40) say(`the call id ${String(call.id)} is longer than 40`);
}
