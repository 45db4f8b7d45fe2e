import { sumTokens } from '../context/view.ts';
import { isProviderCompaction } from '../items/provider-compaction.ts';
import { isStandingContext } from '../items/speaker.ts';
import type { Entry } from '../session/entry.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { chooseCut, laterCuts } from './cut.ts';
import type { Material } from './material.ts';
import type { PlanInput } from './plan-input.ts';

/** What stays whatever the summary says: initial context, instructions, everything from the cut. */
export function verbatimEntries(
  material: readonly Material[],
  initial: number,
  cut: number,
): Entry[] {
  const entries = material.map(({ entry }) => entry);
  return [
    ...entries.slice(0, initial),
    ...leadingInstructions(material.slice(initial, cut)),
    ...providerCompactions(material.slice(initial, cut)),
    ...entries.slice(cut),
  ];
}

/** As much as Codex reads of a project's instructions (32 KiB); longer ones are summarised. */
const MOST_PROJECT_TOKENS = 8_192;

/**
 * System and developer messages that open the conversation are the agent's instructions, and those of
 * the project stand among them in messages of the role `user`: they stay verbatim instead of being
 * summarised away. `covered` starts after the initial context.
 */
export function leadingInstructions(covered: readonly Material[]): Entry[] {
  const result: Entry[] = [];
  for (const { entry, item } of covered) {
    if (entry.origin === 'boundary' || item.kind !== 'message') continue;
    const isOfProject = isStandingContext(item) && entry.tokens <= MOST_PROJECT_TOKENS;
    if (item.role !== 'system' && !isOfProject) break;
    result.push({ ...entry, seq: null, origin: 'instructions' });
  }
  return result;
}

/** Entries that only the provider can read, and that it has to get back as they are. */
export function providerCompactions(covered: readonly Material[]): Entry[] {
  return covered
    .filter(({ entry }) => isProviderCompaction(entry.item))
    .map(({ entry }) => ({ ...entry, seq: null, origin: 'remote' }));
}

/**
 * The cut, with as much protected after it as leaves room for a summary; null when nothing can be
 * covered. `initial` is the number of entries of the initial context, `most` the last place for a cut.
 */
export function roomyCut(input: PlanInput, initial: number, most: number): number | null {
  const { material, config, threshold, before } = input;
  const firstLog = material.findIndex(({ entry }) => entry.seq !== null);
  if (firstLog === -1) return null;
  const limit = material.findIndex(({ entry }) => before !== null && (entry.seq ?? 0) >= before);
  const end = Math.min(most, limit === -1 ? material.length : limit);
  const cut = chooseCut(material, firstLog, end, config);
  if (cut === null) return null;
  const leavesRoom = (tokens: number) => withSafetyMargin(tokens, config) < threshold;
  let needed = sumTokens(verbatimEntries(material, initial, cut)) + config.summary_max_tokens;
  if (leavesRoom(needed)) return cut;
  let roomy = cut;
  for (const later of laterCuts(material, cut, end)) {
    needed -= sumTokens(material.slice(roomy, later).map(({ entry }) => entry));
    roomy = later;
    if (leavesRoom(needed)) break;
  }
  return roomy;
}
