import type { Message, Normalised } from '../items/item.ts';
import { instructionKind, isOfOperator } from '../items/operator.ts';
import { isStandingContext } from '../items/speaker.ts';
import { isJsonObject } from '../json.ts';
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
 * (both in tokens); the others are summarised. What gives the model tools, or takes them away, stays as
 * well. Of blocks that clients write anew, such as the
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
  const changed = covered.flatMap(({ item }) => changedTools(item));
  const kept: Entry[] = [];
  let left = Math.min(MOST_LATER_TOKENS, Math.floor(threshold * MOST_LATER_SHARE));
  for (const { entry, item } of covered.slice(start).toReversed()) {
    if (changedTools(item).length > 0 && !isUndone(item, changed)) {
      kept.push(standing(entry));
      continue;
    }
    if (!isOfOperator(item) || isRenewed(item, renewed)) continue;
    renewed.add(instructionKind(item));
    if (entry.tokens > left) continue;
    left -= entry.tokens;
    kept.push(standing(entry));
  }
  const opening = covered
    .slice(0, start)
    .filter(
      ({ item }) =>
        item.kind === 'message' &&
        !(isOfOperator(item) ? isRenewed(item, renewed) : isUndone(item, changed)),
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

/**
 * The tools that a message of Anthropic's gives to the model or takes away, by their names: no later
 * request says so again.
 */
function changedTools(item: Normalised): string[] {
  if (item.kind !== 'message' || item.role !== 'system') return [];
  return item.parts.flatMap((part) => {
    if (part.kind !== 'opaque' || !isJsonObject(part.json)) return [];
    const { type, tool } = part.json;
    if ((type !== 'tool_addition' && type !== 'tool_removal') || !isJsonObject(tool)) return [];
    const defined = [tool.definition ?? tool].flat().filter(isJsonObject);
    return defined.map(({ server_name, name }) => JSON.stringify([server_name, name]));
  });
}

/** Whether a tool of it is changed more than once: what was given and taken is left out together. */
function isUndone(item: Normalised, changed: readonly string[]): boolean {
  return changedTools(item).some((tool) => changed.indexOf(tool) !== changed.lastIndexOf(tool));
}

function isRenewed(message: Message, renewed: ReadonlySet<string>): boolean {
  return renewed.has(instructionKind(message));
}

function standing(entry: Entry): Entry {
  return { ...entry, seq: null, origin: 'instructions' };
}
