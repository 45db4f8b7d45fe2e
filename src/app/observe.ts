import { accept } from '../domain/session/errors.ts';
import { observeSignal, type Reported } from '../domain/session/observe-signal.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * Takes a signal, which may request a compaction or a packet (SPEC section 11). Rejects:
 * session_not_found, idempotency_mismatch.
 */
export async function observe(
  ports: Pick<
    Ports,
    'store' | 'world' | 'dispatch' | 'awaitPacket' | 'packetPrompt' | 'clock' | 'newId'
  >,
  ref: SessionRef,
  reported: Reported,
  idempotency: Idempotency | null,
) {
  const now = ports.clock.now();
  const at = now.toISOString();
  const compaction_id = ports.newId();
  const command = observeSignal(ports.world, {
    ...reported,
    compaction_id,
    packet_prompt: ports.packetPrompt,
    now_ms: now.getTime(),
    at,
  });
  const options = idempotency === null ? { at } : { at, idempotency };
  const committed = await ports.store.commit(ref, command, options);
  if (!committed.ok) return committed;
  const { value, replayed } = committed.value;
  const { packet, ...rest } = value;
  if (!replayed) {
    if (value.compaction?.id === compaction_id) ports.dispatch({ ref, compaction_id });
    if (packet !== null) ports.awaitPacket(ref, packet.deadline_ms);
  }
  return accept({
    observed: {
      session_id: ref.session_id,
      ...rest,
      packet: packet && {
        prompt: packet.prompt,
        deadline: new Date(packet.deadline_ms).toISOString(),
      },
    },
    replayed,
  });
}
