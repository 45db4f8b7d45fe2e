import { type FullPlan, withLedgers } from '../../domain/compaction/full.ts';
import { type CompactionPlan, planCompaction, planRequest } from '../../domain/compaction/plan.ts';
import type { Skip } from '../../domain/session/compaction-commands.ts';
import type { PacketText } from '../../domain/session/complete-compaction.ts';
import type { Mode } from '../../domain/session/events.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
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
      return {
        kind: 'full',
        plan: withRoomFor(packet, withLedgers(found, loaded.view), loaded),
        ways: waysOf(deps, loaded, false),
        packet,
      };
    case 'remote':
      return {
        kind: 'full',
        plan: withLedgers(found.full, loaded.view),
        ways: waysOf(deps, loaded, true),
        packet,
      };
    default:
      return found satisfies never;
  }
}

/** The summary leaves room for the packet, which comes with it and has to fit as well. */
function withRoomFor(packet: PacketText | null, plan: FullPlan, { terms }: Loaded): FullPlan {
  if (packet === null) return plan;
  const { summary_budget } = plan;
  const tokens = counterFor(terms.config, terms.tokenizers)(packet.text);
  const third = Math.floor(summary_budget / 3);
  return { ...plan, summary_budget: Math.max(64, third, summary_budget - tokens) };
}

export function planAs({ terms, head, view, running, request }: Loaded, mode: Mode) {
  return planCompaction(terms, head, view, planRequest({ ...running, mode }, request));
}
