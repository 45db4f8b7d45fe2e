import { withMarksOf } from '../../domain/gateway/cache-marks.ts';
import { historyField, type Protocol } from '../../domain/gateway/protocol.ts';
import { memberRange, replaceMember } from '../../domain/gateway/replace-member.ts';
import { roughTokens } from '../../domain/gateway/rough-tokens.ts';
import type { Item } from '../../domain/items/item.ts';
import { withReasoningAsTold } from '../../domain/items/openai-chat/reasoning.ts';
import { withResultNamesAsTold } from '../../domain/items/openai-chat/result-names.ts';
import { withToolsAsTold } from '../../domain/items/openai-responses/settings.ts';
import { withoutStoredReasoning } from '../../domain/items/openai-responses/stateless.ts';
import type { JsonObject } from '../../domain/json.ts';

/** The body of the request with the context in place of its history, everything else as it came. */
export function bodyWith(
  protocol: Protocol,
  text: string,
  body: JsonObject,
  { items, context }: { items: readonly Item[]; context: readonly Item[] },
): string | null {
  const history = withMarksOf(items, sendable(protocol, body, { items, context }));
  const replaced = replaceMember(text, historyField(protocol), JSON.stringify(history));
  if (replaced === null || body.previous_response_id == null) return replaced;
  // What it refers to stands in the context.
  return replaceMember(replaced, 'previous_response_id', 'null');
}

/** The context without the reasoning that its provider could not look up, or does not get. */
function sendable(
  protocol: Protocol,
  body: JsonObject,
  { items, context }: { items: readonly Item[]; context: readonly Item[] },
): readonly Item[] {
  switch (protocol) {
    case 'chat':
      return withResultNamesAsTold(items, withReasoningAsTold(items, context));
    case 'responses': {
      // What it goes on from has given the model its tools.
      const own = body.previous_response_id == null ? withToolsAsTold(items, context) : context;
      return body.store === false ? withoutStoredReasoning(own) : own;
    }
    case 'messages':
      return context;
    default:
      return protocol satisfies never;
  }
}

/** Instructions and tools, in tokens, about: as long as no provider has counted them. */
export function tokensBeside(protocol: Protocol, text: string): number {
  const range = memberRange(text, historyField(protocol));
  const history = range === null ? 0 : range.end - range.start;
  return roughTokens(text.length - history);
}
