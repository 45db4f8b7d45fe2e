import type { Normalised } from '../../src/domain/items/item.ts';

/** How far from the end of a part, in shares of what is covered, a better place is looked for. */
const LEEWAY = 0.05;

/**
 * Where to compact: after equal parts, by tokens, of the first `share` of a conversation, `count`
 * times. The last cut is the same for every count, so that the same is covered and the same comes
 * later. No cut stands between a call and its result, nor inside a message that was recorded in
 * pieces; of the places that are near it is one with few tokens that nobody has read yet, since no
 * compaction takes those away. Fewer cuts come where parts would be empty.
 */
export function cutsAt(
  items: readonly Normalised[],
  tokens: readonly number[],
  count: number,
  share: number,
): number[] {
  const legal = cutsBetweenCalls(items);
  const before = tokensBefore(tokens);
  const all = (before.at(-1) ?? 0) * share;
  const cuts: number[] = [];
  for (let part = 1; part <= count; part++) {
    if (part === count && share === 1) {
      cuts.push(items.length);
      break;
    }
    const due = Math.floor((all * part) / count);
    const places = legal.flatMap((isLegal, cut) =>
      isLegal && cut > (cuts.at(-1) ?? 0) ? [cut] : [],
    );
    const away = (cut: number) => Math.abs((before[cut] ?? 0) - due);
    const near = places.filter((cut) => away(cut) <= LEEWAY * all);
    const next = places.find((cut) => (before[cut] ?? 0) >= due);
    if (near.length === 0 && next === undefined) break;
    cuts.push(leastUnread(near.length === 0 && next !== undefined ? [next] : near, items, before));
  }
  return cuts;
}

/** The tokens before each place of a conversation. */
function tokensBefore(tokens: readonly number[]): number[] {
  const before = [0];
  for (const one of tokens) before.push((before.at(-1) ?? 0) + one);
  return before;
}

function leastUnread(
  cuts: readonly number[],
  items: readonly Normalised[],
  before: readonly number[],
): number {
  const unread = (cut: number) => (before[cut] ?? 0) - (before[startOfUnread(items, cut)] ?? 0);
  return cuts.reduce((best, cut) => (unread(cut) < unread(best) ? cut : best));
}

/** Where the last message of the assistant begins, if its results stand at the end; else the end. */
function startOfUnread(items: readonly Normalised[], cut: number): number {
  const last = items[cut - 1];
  const isResult =
    last?.kind === 'message' && last.parts.some(({ kind }) => kind === 'tool_result');
  if (!isResult) return cut;
  const asked = items
    .slice(0, cut)
    .findLastIndex((item) => item.kind === 'message' && item.role === 'assistant');
  const message = items[asked];
  const id = message?.kind === 'message' ? message.id : undefined;
  if (id === undefined) return Math.max(0, asked);
  return items.findIndex((item) => item.kind === 'message' && item.id === id);
}

/** Whether a cut before each place leaves every call beside a result that comes at all, and messages whole. */
function cutsBetweenCalls(items: readonly Normalised[]): boolean[] {
  const last = new Map<string, number>();
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    if (item.kind !== 'message') continue;
    const ids = item.parts.map((part) =>
      part.kind === 'tool_call' ? part.id : part.kind === 'tool_result' ? part.call_id : '',
    );
    for (const id of [...ids, item.id ?? '']) {
      if (id === '') continue;
      if (!first.has(id)) first.set(id, index);
      last.set(id, index);
    }
  }
  const legal = new Array<boolean>(items.length + 1).fill(true);
  for (const [id, from] of first) legal.fill(false, from + 1, (last.get(id) ?? from) + 1);
  return legal;
}
