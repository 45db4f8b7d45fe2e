import { composePacket } from '../domain/compaction/packet.ts';
import type { Templates } from '../domain/compaction/prompt.ts';
import { configOf } from '../domain/session/head.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import type { AttemptLog, Loaded, LogDependencies } from './attempt-log.ts';

/**
 * The text of the packet that belongs to a compaction, null when none does: what the agent has written,
 * else what the context before the compaction says (SPEC section 12).
 */
export async function packetText(
  deps: Pick<LogDependencies, 'world'> & { templates: Templates },
  log: AttemptLog,
  { head, view, running }: Loaded,
): Promise<string | null> {
  const { packet, attribution } = running;
  if (packet === null) return null;
  switch (packet.author) {
    case 'watcher': {
      const config = configOf(head.settings, deps.world.server);
      const count = counterFor(config, deps.world.tokenizers);
      const template = deps.templates.continuation;
      return composePacket({ view, attribution, template, config, count });
    }
    case 'agent': {
      const event = await log.eventAt(packet.received_version);
      // Null when the session was erased meanwhile: nothing is written then.
      return event?.type === 'packet.received' ? event.data.text : null;
    }
    default:
      return packet satisfies never;
  }
}
