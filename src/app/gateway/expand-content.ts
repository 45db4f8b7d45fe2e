import { expandInput, type StatelessInput } from '../../domain/compaction/stateless.ts';
import type { Item } from '../../domain/items/item.ts';
import { isProviderCompaction } from '../../domain/items/provider-compaction.ts';
import { stringField } from '../../domain/json.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { isOurContent, type OpaqueContent, OpaqueContentError } from '../opaque-content.ts';

/** What a request's own compaction items may come to, in bytes of JSON. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** An item of ours that cannot be read; `param` names it as the provider would. */
type Unreadable = { code: OpaqueContentError['code']; param: string; message: string };

/**
 * `items`: the history with what stands in the compaction items of this service in their places, the same
 * list when it has none. `input`: the same, still apart. `session_id`: whose history the newest of them
 * stands for, where it says so. `referred_session_id`: who has the newest of the items that the request
 * only names.
 */
export type Expanded = {
  items: Item[];
  input: StatelessInput[];
  isOurs: boolean;
  session_id: string | null;
  referred_session_id?: string | null;
};

/** Opens the compaction items that this service has made. Rejects one that cannot be read. */
export async function expandContent(
  opaque: OpaqueContent,
  tenant: string,
  items: Item[],
  most_bytes = MOST_BYTES,
): Promise<Outcome<Expanded, Unreadable>> {
  const input: StatelessInput[] = [];
  let session_id: string | null = null;
  let isOurs = false;
  // Compressed content grows: all that one request brings shares one limit.
  let left = most_bytes;
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
        rejection: {
          code: opened.code,
          param,
          message: `${param} cannot be used: ${opened.message}`,
        },
      };
    }
    isOurs = true;
    left -= opened.bytes;
    session_id = opened.session_id ?? null;
    input.push({ kind: 'content', items: opened.items, ledger: opened.ledger });
  }
  return accept({ items: isOurs ? expandInput(input).items : items, input, isOurs, session_id });
}

function contentOf(item: Item): string | null {
  if (!isProviderCompaction(item)) return null;
  const content = stringField(item, 'encrypted_content');
  return content !== undefined && isOurContent(content) ? content : null;
}
