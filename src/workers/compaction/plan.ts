import { type FullPlan, withLedgers } from '../../domain/compaction/full.ts';
import { ledgersOf } from '../../domain/compaction/ledgers-of.ts';
import { materialOf } from '../../domain/compaction/material.ts';
import {
  type CompactionPlan,
  type MicroCompaction,
  planCompaction,
  planRequest,
} from '../../domain/compaction/plan.ts';
import { hasToPay, notWorthIt } from '../../domain/compaction/weigh.ts';
import type { Ledger } from '../../domain/ledger/ledger.ts';
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

/** What there is to do (SPEC sections 7 and 8), and who is asked for it in turn. */
export async function plan(deps: WorkerDependencies, loaded: Loaded): Promise<Planned> {
  await deps.prepare(loaded.terms.config);
  const { view, running } = loaded;
  const material = materialOf(view);
  const found = worthIt(deps, loaded, planAs(loaded, running.mode, material));
  const packetBy = (standing: () => Ledger) => packetText(deps, loaded, { material, standing });
  switch (found.kind) {
    case 'skip':
      return found;
    case 'micro': {
      const standing = () => ledgersOf(view, material, view.version).standing;
      return { kind: 'micro', plan: found, packet: await packetBy(standing) };
    }
    case 'full': {
      const whole = withLedgers(found, view, material);
      const packet = await packetBy(() => whole.ledgers.standing);
      const ways = waysOf(deps, loaded, false);
      return { kind: 'full', plan: withRoomFor(packet, whole, loaded), ways, packet };
    }
    case 'remote': {
      const whole = withLedgers(found.full, view, material);
      const packet = await packetBy(() => whole.ledgers.standing);
      return { kind: 'full', plan: whole, ways: waysOf(deps, loaded, true), packet };
    }
    default:
      return found satisfies never;
  }
}

/** The plan, or why it has to wait: where it has to pay, and would not. */
function worthIt(
  { prices, chooseSummarizer }: WorkerDependencies,
  { terms, head, running }: Loaded,
  found: CompactionPlan,
): CompactionPlan {
  if (found.kind === 'skip' || running.trigger !== 'auto' || !hasToPay(terms, head)) return found;
  const choice = chooseSummarizer(head.settings, terms.config);
  const summarizer = choice.kind === 'asking' ? choice.name : null;
  return notWorthIt(found, { terms, head, prices, summarizer }) ?? found;
}

/** The summary leaves room for the packet, which comes with it and has to fit as well. */
function withRoomFor(packet: PacketText | null, plan: FullPlan, { terms }: Loaded): FullPlan {
  if (packet === null) return plan;
  const { summary_budget } = plan;
  const tokens = counterFor(terms.config, terms.tokenizers)(packet.text);
  const third = Math.floor(summary_budget / 3);
  return { ...plan, summary_budget: Math.max(64, third, summary_budget - tokens) };
}

/** `material` is that of the view, where it is known already. */
export function planAs(
  { terms, head, view, running, request }: Loaded,
  mode: Mode,
  material = materialOf(view),
) {
  const asked = planRequest({ ...running, mode }, request);
  return planCompaction(terms, head, view, asked, material);
}
