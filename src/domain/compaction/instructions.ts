import type { Message } from '../items/item.ts';
import { instructionKind, isOfOperator } from '../items/operator.ts';
import { isStandingContext } from '../items/speaker.ts';
import type { Entry } from '../session/entry.ts';
import type { Material } from './material.ts';

/** As much as Codex reads of a project's instructions (32 KiB); longer ones are summarised. */
const MOST_PROJECT_TOKENS = 8_192;
/** Later instructions may fill so much, and no more than this share of the threshold. */
const MOST_LATER_TOKENS = 8_192;
const MOST_LATER_SHARE = 1 / 4;

/**
 * What the agent was told to do stays verbatim instead of being summarised away, in its order. All of
 * what opens the conversation: system and developer messages, and those of the project among them in
 * messages of the role `user`. Of those that came later the newest up to a quarter of the threshold
 * (both in tokens); the others are summarised. Of blocks that clients write anew, such as the
 * environment, the newest stands for the older ones, also when it stands after the cut. `initial` is
 * the number of entries of the initial context, which stay anyway.
 */
export function standingInstructions(
  material: readonly Material[],
  initial: number,
  cut: number,
  threshold: number,
): Entry[] {
  const covered = material.slice(initial, cut).filter(({ entry }) => !entry.pinned);
  const start = endOfOpening(covered);
  const renewed = new Set(
    material.slice(cut).flatMap(({ item }) => (isOfOperator(item) ? [instructionKind(item)] : [])),
  );
  const kept: Entry[] = [];
  let left = Math.min(MOST_LATER_TOKENS, Math.floor(threshold * MOST_LATER_SHARE));
  for (const { entry, item } of covered.slice(start).toReversed()) {
    if (!isOfOperator(item) || isRenewed(item, renewed)) continue;
    renewed.add(instructionKind(item));
    if (entry.tokens > left) continue;
    left -= entry.tokens;
    kept.push(standing(entry));
  }
  const opening = covered
    .slice(0, start)
    .filter(
      ({ item }) => item.kind === 'message' && !(isOfOperator(item) && isRenewed(item, renewed)),
    )
    .map(({ entry }) => standing(entry));
  return [...opening, ...kept.reverse()];
}

/** How many of the entries open the conversation: the first other message ends it. */
function endOfOpening(covered: readonly Material[]): number {
  const end = covered.findIndex(
    ({ entry, item }) =>
      entry.origin !== 'boundary' &&
      item.kind === 'message' &&
      item.role !== 'system' &&
      !(isStandingContext(item) && entry.tokens <= MOST_PROJECT_TOKENS),
  );
  return end === -1 ? covered.length : end;
}

function isRenewed(message: Message, renewed: ReadonlySet<string>): boolean {
  return renewed.has(instructionKind(message));
}

function standing(entry: Entry): Entry {
  return { ...entry, seq: null, origin: 'instructions' };
}
