import { withMarksOf } from '../../domain/gateway/cache-marks.ts';
import { historyField, type Protocol } from '../../domain/gateway/protocol.ts';
import { memberRange, replaceMember } from '../../domain/gateway/replace-member.ts';
import { roughTokens } from '../../domain/gateway/rough-tokens.ts';
import type { Item } from '../../domain/items/item.ts';
import { withoutStoredReasoning } from '../../domain/items/openai-responses/stateless.ts';
import type { JsonObject } from '../../domain/json.ts';

/** The body of the request with the context in place of its history, everything else as it came. */
export function bodyWith(
  protocol: Protocol,
  text: string,
  body: JsonObject,
  { items, context }: { items: readonly Item[]; context: readonly Item[] },
): string | null {
  const isStored = protocol !== 'responses' || body.store !== false;
  const history = withMarksOf(items, isStored ? context : withoutStoredReasoning(context));
  const replaced = replaceMember(text, historyField(protocol), JSON.stringify(history));
  if (replaced === null || body.previous_response_id == null) return replaced;
  // What it refers to stands in the context.
  return replaceMember(replaced, 'previous_response_id', 'null');
}

/** Instructions and tools, in tokens, about: as long as no provider has counted them. */
export function tokensBeside(protocol: Protocol, text: string): number {
  const range = memberRange(text, historyField(protocol));
  const history = range === null ? 0 : range.end - range.start;
  return roughTokens(text.length - history);
}
