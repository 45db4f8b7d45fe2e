import { sessionNotFound } from '../../domain/session/create-session.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import type { EventData } from '../../domain/session/events.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';

/** What a failure of ours has let past a session. */
export type Bypass = EventData['turn.bypassed'];

/** Says in the log of a session that requests of it went past the gateway. Rejects: session_not_found. */
export async function noteBypass(
  { store, clock }: Pick<Ports, 'store' | 'clock'>,
  ref: SessionRef,
  data: Bypass,
): Promise<Outcome<null>> {
  const at = clock.now().toISOString();
  const noted = await store.commit(
    ref,
    (head) =>
      head === null
        ? sessionNotFound()
        : accept({ events: [{ type: 'turn.bypassed', data }], value: () => null }),
    { at },
  );
  return noted.ok ? accept(null) : noted;
}
