import type { FullPlan } from '../../domain/compaction/full.ts';
import { type CompactionPlan, planCompaction, planRequest } from '../../domain/compaction/plan.ts';
import type { Skip } from '../../domain/session/compaction-commands.ts';
import type { PacketText } from '../../domain/session/complete-compaction.ts';
import type { Mode } from '../../domain/session/events.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';
import { packetText } from './packet-text.ts';
import { type Way, waysOf } from './ways.ts';

/** `packet` is appended with the compaction, where one belongs to it. */
export type Planned =
  | { kind: 'skip'; skip: Skip }
  | { kind: 'micro'; plan: MicroCompaction; packet: PacketText | null }
  | { kind: 'full'; plan: FullPlan; ways: Way[]; packet: PacketText | null };

type MicroCompaction = Extract<CompactionPlan, { kind: 'micro' }>;

/** What there is to do (SPEC sections 7 and 8), and who is asked for it in turn. */
export async function plan(deps: WorkerDependencies, loaded: Loaded): Promise<Planned> {
  await deps.prepare(loaded.terms.config);
  const found = planAs(loaded, loaded.running.mode);
  if (found.kind === 'skip') return found;
  const packet = await packetText(deps, loaded);
  switch (found.kind) {
    case 'micro':
      return { kind: 'micro', plan: found, packet };
    case 'full':
      return { kind: 'full', plan: found, ways: waysOf(deps, loaded, false), packet };
    case 'remote':
      return { kind: 'full', plan: found.full, ways: waysOf(deps, loaded, true), packet };
    default:
      return found satisfies never;
  }
}

export function planAs({ terms, head, view, running, request }: Loaded, mode: Mode) {
  return planCompaction(terms, head, view, planRequest({ ...running, mode }, request));
}
