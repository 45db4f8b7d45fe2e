import { sumTokens } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import type { Entry } from '../session/entry.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { measureItem } from '../tokens/measure.ts';
import { carriedEntries } from './carried.ts';
import { chooseCut, laterCuts } from './cut.ts';
import { standingInstructions } from './instructions.ts';
import type { PlanInput } from './plan-input.ts';

/** What stays whatever the summary says: initial context, pins, instructions, everything from the cut. */
export type Verbatim = {
  cut: number;
  instructions: Entry[];
  /** See `carriedEntries`. */
  carried: Entry[];
  entries: Entry[];
};

function verbatimAt(
  { material, threshold, view, count, config }: PlanInput,
  initial: number,
  cut: number,
): Verbatim {
  const all = material.map(({ entry }) => entry);
  const codec = codecFor(view.format);
  const noteEntry = (text: string, like?: Item): Entry => {
    const item = like === undefined ? codec.message('user', text) : { ...like, content: text };
    const { tokens } = measureItem(codec, item, count, config);
    return { seq: null, item, tokens, origin: 'instructions' };
  };
  const instructions = standingInstructions(material, initial, cut, threshold, noteEntry);
  const carried = carriedEntries(material, initial, cut);
  const entries = [
    ...all.slice(0, initial),
    ...instructions,
    ...carried,
    ...all.slice(initial, cut).filter(({ pinned }) => pinned),
    ...all.slice(cut),
  ];
  return { cut, instructions, carried, entries };
}

/**
 * What stays with the cut that leaves as much protected after it as there is room for beside a summary;
 * null when nothing can be covered. `initial` is the number of entries of the initial context, `most` the
 * last place for a cut.
 */
export function verbatimPart(input: PlanInput, initial: number, most: number): Verbatim | null {
  const { material, config, threshold, before, cuts } = input;
  const firstLog = material.findIndex(({ entry }) => entry.origin === 'log');
  if (firstLog === -1) return null;
  const limit = material.findIndex(({ entry }) => before !== null && (entry.seq ?? 0) >= before);
  const end = Math.min(most, limit === -1 ? material.length : limit);
  const cut = chooseCut(material, firstLog, end, config, cuts);
  if (cut === null) return null;
  const leavesRoom = (tokens: number) => withSafetyMargin(tokens, config) < threshold;
  const verbatim = verbatimAt(input, initial, cut);
  let needed = sumTokens(verbatim.entries) + config.summary_max_tokens;
  if (leavesRoom(needed)) return verbatim;
  let roomy = cut;
  for (const later of laterCuts(material, cut, end, cuts)) {
    const more = material.slice(roomy, later).map(({ entry }) => entry);
    needed -= sumTokens(more.filter(({ pinned }) => !pinned));
    roomy = later;
    if (leavesRoom(needed)) break;
  }
  return verbatimAt(input, initial, roomy);
}
