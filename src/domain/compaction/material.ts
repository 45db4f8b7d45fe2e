import type { View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Normalised, ToolResult } from '../items/item.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import { remembering } from '../remember.ts';
import type { Entry } from '../session/entry.ts';
import { answerToCall } from '../workspace/call-answer.ts';

/** An entry with its normalised view; `original` is the view before any edit of tool results. */
export type Material = { entry: Entry; item: Normalised; original: Normalised };

/** The entries of a context, normalised once for all the planning steps. */
export function materialOf(view: View): Material[] {
  const codec = codecFor(view.format);
  return view.entries.map((entry) => {
    const item = attributed(entry, codec.normalise(entry.item));
    const unedited = entry.seq === null ? undefined : view.originals.get(entry.seq);
    return { entry, item, original: unedited ? codec.normalise(unedited) : item };
  });
}

/** The items of a context as they stand in it: the same list whenever it is asked for. */
export const itemsOf = remembering((material: readonly Material[]): readonly Normalised[] =>
  material.map(({ item }) => item),
);

/** The items as they were before any edit, in the same way; the same list where none was edited. */
export const originalsOf = remembering((material: readonly Material[]): readonly Normalised[] =>
  material.every(({ item, original }) => item === original)
    ? itemsOf(material)
    : material.map(({ original }) => original),
);

/**
 * What a hook has put into the context is the hook's, whatever it looks like, and what a compaction
 * has put back was not read anew.
 */
function attributed({ origin }: Entry, item: Normalised): Normalised {
  if (item.kind === 'attachment' && origin === 'file') return { ...item, is_restored: true };
  const isOfHook = origin === 'hook' && item.kind === 'message' && item.speaker === undefined;
  return isOfHook ? { ...item, speaker: 'hook' } : item;
}

/** Reads items with the results marked that told of a failure before they were cleared or cut. */
export function withFailures(material: readonly Material[]): (of: Material) => Normalised {
  let calls: ReturnType<typeof callsByResult> | null = null;
  const hasFailed = (result: ToolResult) => {
    calls ??= callsByResult(pairedParts(originalsOf(material)));
    return answerToCall(calls.get(result) ?? null, result).isFailed;
  };
  return ({ item, original }) => {
    if (item === original || item.kind !== 'message' || original.kind !== 'message') return item;
    const failed = new Set(
      original.parts.flatMap((part) =>
        part.kind === 'tool_result' && hasFailed(part) ? [part.call_id] : [],
      ),
    );
    if (failed.size === 0) return item;
    const parts = item.parts.map((part) =>
      part.kind === 'tool_result' && failed.has(part.call_id) ? { ...part, is_error: true } : part,
    );
    return { ...item, parts };
  };
}
