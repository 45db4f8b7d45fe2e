import { accept } from '../domain/session/errors.ts';
import { receivePacket as command } from '../domain/session/packet-commands.ts';
import { compactionOf } from './compaction-detail.ts';
import { findCompaction } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { withTokenizer } from './tokenizer.ts';

/**
 * Takes the packet that an agent has written, and starts the compaction that it is for (SPEC section
 * 12). Rejects: session_not_found, packet_not_requested.
 */
export async function receivePacket(
  ports: Pick<Ports, 'store' | 'world' | 'dispatch' | 'clock' | 'newId' | 'loadTokenizer'>,
  ref: SessionRef,
  text: string,
) {
  const { store } = ports;
  const decide = command(ports.world, { compaction_id: ports.newId(), text });
  const at = ports.clock.now().toISOString();
  const committed = await withTokenizer(ports, ref, () => store.commit(ref, decide, { at }));
  if (!committed.ok) return committed;
  const { compaction_id, is_truncated } = committed.value.value;
  ports.dispatch({ ref, compaction_id });
  const found = await findCompaction(store, ref, compaction_id);
  return found.ok ? accept({ ...compactionOf(ref, found.value), packet: { is_truncated } }) : found;
}
