import { eventAt } from '../../app/event-at.ts';
import type { Material } from '../../domain/compaction/material.ts';
import { composePacket } from '../../domain/compaction/packet.ts';
import type { Ledger } from '../../domain/ledger/ledger.ts';
import type { PacketText } from '../../domain/session/complete-compaction.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';

/**
 * The text of the packet that belongs to a compaction, null when none does: what the agent has written,
 * else what the context before the compaction says (SPEC section 12): its entries, and its ledger.
 */
export async function packetText(
  { store, templates }: Pick<WorkerDependencies, 'store' | 'templates'>,
  { ref, head, running, terms }: Loaded,
  { material, standing }: { material: readonly Material[]; standing: () => Ledger },
): Promise<PacketText | null> {
  const { packet, attribution } = running;
  const { config, tokenizers } = terms;
  if (packet === null || config.packet_author === 'none') return null;
  const composed = (): PacketText => {
    const count = counterFor(config, tokenizers);
    const template = templates.continuation;
    const order = { material, ledger: standing(), attribution, template, config, count };
    return { text: composePacket(order), seq: null };
  };
  switch (packet.author) {
    case 'watcher':
      return composed();
    case 'agent': {
      const event = await eventAt(store, ref, packet.received_version);
      // Null when the session was erased meanwhile: nothing is written then.
      if (event?.type !== 'packet.received' || event.data.text === null) return null;
      const { text, seq } = event.data;
      // What is said before a call is no answer yet: the turn went on.
      return seq !== null && head.state.last_call > seq ? composed() : { text, seq };
    }
    default:
      return packet satisfies never;
  }
}
