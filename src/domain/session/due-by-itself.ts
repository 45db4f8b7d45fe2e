import { plainAttribution } from '../policy/attribution.ts';
import type { Config } from '../policy/config.ts';
import { isAutoCompactOn } from '../tokens/thresholds.ts';
import type { Request } from './after-append.ts';
import { automaticRequest } from './automatic-request.ts';
import type { NewEvent } from './events.ts';
import type { Head } from './head.ts';
import { passGuard } from './loop-guard.ts';

/**
 * The request for an automatic compaction that no append makes, since the context is too large without
 * one; null where one is under way or waited for, or none may be (SPEC sections 6 and 10).
 */
export function dueByItself(
  head: Head,
  config: Config,
  { compaction_id, now_ms }: Request,
): NewEvent[] | null {
  const { running, packet_request } = head.state;
  if (running !== null || packet_request !== null) return null;
  if (!isAutoCompactOn(config) || config.auto_compact_mode !== 'auto') return null;
  const before = passGuard(head, config, now_ms);
  return before && [...before, automaticRequest(compaction_id, plainAttribution('append'))];
}
