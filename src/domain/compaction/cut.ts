import { type Cuts, safeCuts } from '../context/invariants/safe-cuts.ts';
import { isUserMessage } from '../items/speaker.ts';
import type { Config } from '../policy/config.ts';
import { itemsOf, type Material } from './material.ts';

/**
 * The index of the first entry that stays verbatim: as late as possible, never between a call and its
 * result, with the protected part after it, starting at a user message where one is near (SPEC
 * section 8). `first` is the number of entries that no cut may split (initial context and what
 * earlier compactions made), `end` the index that the cut must not go beyond, `cuts` says where one may
 * be. Null when there is nothing to cover.
 */
export function chooseCut(
  material: readonly Material[],
  first: number,
  end: number,
  config: Config,
  cuts: Cuts = safeCuts,
): number | null {
  const legal = cuts(itemsOf(material));
  const wanted = Math.min(end, Math.max(first, protectedFrom(material, config)));
  for (let cut = wanted; cut > first; cut--) if (legal[cut]) return cut;
  // Nothing legal before the protected part: rather protect less than not compact at all.
  for (let cut = wanted + 1; cut <= end; cut++) if (legal[cut]) return cut;
  return null;
}

/** The cuts after `cut` that protect less, in order; none beyond `end`. */
export function laterCuts(
  material: readonly Material[],
  cut: number,
  end: number,
  cuts: Cuts = safeCuts,
): number[] {
  const legal = cuts(itemsOf(material));
  const later: number[] = [];
  for (let index = cut + 1; index <= end; index++) if (legal[index]) later.push(index);
  return later;
}

function protectedFrom(material: readonly Material[], config: Config): number {
  let from = material.length;
  if (config.protected_messages !== null) {
    from = Math.min(from, fromLastMessages(material, config.protected_messages));
  }
  if (config.protected_tokens !== null && config.protected_tokens > 0) {
    from = Math.min(from, fromLastTokens(material, config.protected_tokens));
  }
  return from;
}

function fromLastMessages(material: readonly Material[], messages: number): number {
  let left = messages;
  let from = material.length;
  while (from > 0 && left > 0) {
    from--;
    if (material[from]?.item.kind === 'message') left--;
  }
  return from;
}

function fromLastTokens(material: readonly Material[], tokens: number): number {
  const total = material.reduce((sum, { entry }) => sum + entry.tokens, 0);
  // In a short session the protected part would be everything: never more than a quarter of it.
  const budget = Math.min(tokens, Math.floor(total / 4));
  const from = startOfLast(material, budget);
  const earliest = startOfLast(material, Math.floor(budget * 1.5));
  const latest = startOfLast(material, Math.floor(budget / 2));
  for (let distance = 0; from - distance >= earliest || from + distance <= latest; distance++) {
    for (const index of [from - distance, from + distance]) {
      const candidate = material[index];
      if (index < earliest || index > latest || candidate === undefined) continue;
      if (isUserMessage(candidate.item)) return index;
    }
  }
  return from;
}

/**
 * The start of the longest end of the context that counts at most `budget` tokens; however large the
 * newest entry is, it belongs to it.
 */
function startOfLast(material: readonly Material[], budget: number): number {
  let start = Math.max(0, material.length - 1);
  let sum = material[start]?.entry.tokens ?? 0;
  while (start > 0) {
    sum += material[start - 1]?.entry.tokens ?? 0;
    if (sum > budget) break;
    start--;
  }
  return start;
}
