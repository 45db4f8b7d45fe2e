import { expandInput, type StatelessInput } from '../../domain/compaction/stateless.ts';
import type { Item } from '../../domain/items/item.ts';
import { isProviderCompaction } from '../../domain/items/provider-compaction.ts';
import { stringField } from '../../domain/json.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { isOurContent, type OpaqueContent, OpaqueContentError } from '../opaque-content.ts';

/** What a request's own compaction items may come to, in bytes of JSON. */
const MOST_BYTES = 64 * 1024 * 1024;

/** An item of ours that cannot be read; `param` names it as the provider would. */
export type Unreadable = { param: string; message: string };

/**
 * The history with the compaction items that this service has made in place of what they stand for; the
 * same list when it has none. Rejects an item of ours that cannot be read.
 */
export async function expandContent(
  opaque: OpaqueContent,
  tenant: string,
  items: Item[],
): Promise<Outcome<Item[], Unreadable>> {
  if (!items.some((item) => contentOf(item) !== null)) return accept(items);
  const input: StatelessInput[] = [];
  let left = MOST_BYTES;
  for (const [index, item] of items.entries()) {
    const content = contentOf(item);
    if (content === null) {
      input.push({ kind: 'item', item });
      continue;
    }
    const opened = await opaque.open(tenant, content, left).catch((error: unknown) => {
      if (error instanceof OpaqueContentError) return error;
      throw error;
    });
    if (opened instanceof OpaqueContentError) {
      const param = `input[${index}].encrypted_content`;
      return {
        ok: false,
        rejection: { param, message: `${param} cannot be used: ${opened.message}` },
      };
    }
    left -= opened.bytes;
    input.push({ kind: 'content', items: opened.items });
  }
  return accept(expandInput(input).items);
}

function contentOf(item: Item): string | null {
  if (!isProviderCompaction(item)) return null;
  const content = stringField(item, 'encrypted_content');
  return content !== undefined && isOurContent(content) ? content : null;
}
