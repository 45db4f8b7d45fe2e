import type { Logger } from 'pino';
import { whyCompacted } from './domain/session/why-compacted.ts';
import type { World } from './domain/session/world.ts';
import type { Told } from './metrics/measured-store.ts';

/**
 * With LOG_LEVEL=debug: says of each commit that could have brought about a compaction why it did, or
 * did not (SPEC 2, section 27). Nothing otherwise, and nothing that was said in the conversation.
 */
export function explainCommits(
  log: Logger,
  world: () => World,
  now: () => Date,
): Pick<Told, 'onCommitted'> {
  if (!log.isLevelEnabled('debug')) return {};
  return {
    onCommitted: ({ session_id }, events, after) => {
      const why = whyCompacted(after, events, world(), now().getTime());
      const { version } = after.state;
      if (why !== null) log.debug({ session_id, version, ...why }, 'whether to compact');
    },
  };
}
