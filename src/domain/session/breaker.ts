import type { Config } from '../policy/config.ts';
import type { NewEvent } from './events.ts';
import type { Head } from './head.ts';

/** `breaker.opened` when this step has brought the failures to their limit (SPEC section 10). */
export function openedBreaker(
  before: Head,
  after: Head,
  config: Config,
  now_ms: number,
): NewEvent[] {
  const { failures } = after.state;
  if (failures <= before.state.failures || failures < config.breaker_max_failures) return [];
  const reset_at_ms = now_ms + Math.ceil(config.breaker_reset_seconds * 1000);
  return [{ type: 'breaker.opened', data: { failures, reset_at_ms } }];
}

/** `breaker.closed` when it was open and a compaction has helped. */
export function closedBreaker(head: Head): NewEvent[] {
  if (head.state.breaker_reset_at_ms === null) return [];
  return [{ type: 'breaker.closed', data: { reason: 'success' } }];
}
