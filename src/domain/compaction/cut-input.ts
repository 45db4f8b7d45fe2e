import type { ToolCall } from '../items/item.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { TextCounter } from '../tokens/count.ts';
import { evenShare } from '../tokens/even-share.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { inputOf, pathOf } from '../workspace/tool-input.ts';

/**
 * The input of a call with its texts cut in the middle, so that together they count about `most` tokens.
 * The path stays whole, and so do the names of the files in a patch.
 */
export function cutInput(call: ToolCall, most: number, count: TextCounter): Json {
  const path = pathOf(inputOf(call));
  const sizes = textsIn(call.input).map((text) => count(text));
  const share = evenShare(sizes, most);
  const cut = (json: Json): Json => {
    if (typeof json === 'string') return json === path ? json : cutText(json, share, count);
    if (Array.isArray(json)) return json.map(cut);
    if (!isJsonObject(json)) return json;
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, cut(value)]));
  };
  return cut(call.input);
}

function textsIn(json: Json): string[] {
  if (typeof json === 'string') return [json];
  if (typeof json !== 'object' || json === null) return [];
  return Object.values(json).flatMap((value) => (value === undefined ? [] : textsIn(value)));
}

/** The lines of a patch that name its files, or stand around it. */
const PATCH_LINES =
  /^(\*\*\* (?:Begin Patch|End Patch|(?:Add|Update|Delete) File: .*|Move to: .*)\n?)/m;

function cutText(text: string, most: number, count: TextCounter): string {
  if (!text.includes('*** Begin Patch') || count(text) <= most) {
    return truncateMiddle(text, most, count);
  }
  // With the lines that divide them between: every other piece is one.
  const pieces = text.split(PATCH_LINES);
  const isBody = (index: number) => index % 2 === 0;
  const sizes = pieces.map((piece) => count(piece));
  const lines = sizes.reduce((sum, size, index) => (isBody(index) ? sum : sum + size), 0);
  const share = evenShare(
    sizes.filter((_, index) => isBody(index)),
    Math.max(0, most - lines),
  );
  return pieces
    .map((piece, index) => (isBody(index) ? truncateMiddle(piece, share, count) : piece))
    .join('');
}
