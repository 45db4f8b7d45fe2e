import type { Part } from './name-runs.ts';

/** Characters of one value: longer ones are read as any other text. */
const LONGEST = 2_000;
const INSIDE = String.raw`[^"'\`$]{0,${LONGEST}}`;
/**
 * Several classes of a style sheet, or the outline of a drawing, as an attribute has them in HTML and JSX.
 * What stands in quotes or is put in by code may be anything.
 */
const VALUES = new RegExp(
  String.raw`\b(?:class(?:Name)?=\{?(["'\`])(?=\s{0,100}[^\s"'\`$]{1,200}\s)${INSIDE}\1|d=(["'])[Mm]\s?[-.\d]${INSIDE}\2)`,
  'g',
);

/**
 * The parts of a text beside the values of such attributes. `mt-4` and `M12` have the shape of names, and
 * nobody looks for them. Linear.
 */
export function besideStyles(text: string, { from, to }: Part): Part[] {
  const looked = from === 0 && to === text.length ? text : text.slice(from, to);
  const parts: Part[] = [];
  let next = from;
  for (const { index, 0: found } of looked.matchAll(VALUES)) {
    parts.push({ from: next, to: from + index });
    next = from + index + found.length;
  }
  return [...parts, { from: next, to }];
}
