import { remembering } from '../remember.ts';
import type { Message, Normalised, Part } from './item.ts';
import { providerTools } from './provider-tools.ts';

/**
 * The items with what the provider's own tools were asked and have answered as calls and results, so that
 * it is read as the work of all other tools is. The same list where there is none.
 */
export const withProviderCalls = remembering(
  (items: readonly Normalised[]): readonly Normalised[] => {
    let isSame = true;
    const read = items.map((item) => {
      const own = item.kind === 'message' ? withCalls(item) : item;
      if (own !== item) isSame = false;
      return own;
    });
    return isSame ? items : read;
  },
);

function withCalls(message: Message): Message {
  if (!message.parts.some(({ kind }) => kind === 'opaque')) return message;
  let isSame = true;
  const parts = message.parts.flatMap((part) => {
    const own = part.kind === 'opaque' ? partsOf(part) : [];
    if (own.length > 0) isSame = false;
    return own.length > 0 ? own : [part];
  });
  return isSame ? message : { ...message, parts };
}

function partsOf({ json }: Part & { kind: 'opaque' }): Part[] {
  const uses = providerTools(json);
  const isAnswered = uses.some(({ kind }) => kind === 'result');
  return uses.flatMap((use): Part[] => {
    if (use.kind === 'result') return [resultOf(use.of, use.text, use.is_error)];
    const { id, name, input, is_open } = use;
    const call: Part = { kind: 'tool_call', id, name, input, source: json };
    // What only its provider knows the answer to is over all the same.
    return is_open || isAnswered ? [call] : [call, resultOf(id, '', false)];
  });
}

function resultOf(call_id: string, text: string, is_error: boolean): Part {
  return { kind: 'tool_result', call_id, content: [{ kind: 'text', text }], is_error };
}
