import type { Attribution } from '../policy/attribution.ts';
import type { Config } from '../policy/config.ts';
import { tierOf } from '../policy/tiers.ts';
import { isAutoCompactOn } from '../tokens/thresholds.ts';
import { automaticRequest } from './automatic-request.ts';
import type { NewEvent, Trigger } from './events.ts';
import type { Head, State } from './head.ts';
import type { SkipReason } from './skip-reason.ts';

const DISABLED: SkipReason = 'compaction_disabled';

/** Why an automatic compaction is not run that was requested before, in words; null: it is. */
export function switchedOff(
  config: Config,
  { trigger, attribution }: { trigger: Trigger; attribution: Pick<Attribution, 'path'> },
): string | null {
  if (!config.enabled) return 'compaction was switched off after this one was requested';
  if (trigger !== 'auto' || allows(config, attribution.path)) return null;
  return 'automatic compaction was switched off, or follows another rule, since this one was requested';
}

/** Whether the configuration still has the rule that led to a request (SPEC section 11). */
function allows(config: Config, path: Attribution['path']): boolean {
  if (!isAutoCompactOn(config)) return false;
  switch (path) {
    // Between two model calls the mode is not looked at.
    case 'mid_turn':
      return config.auto_compact_trigger === 'tiers';
    case 'turn_complete':
    case 'preflight':
      return config.auto_compact_trigger === 'tiers' && config.auto_compact_mode === 'auto';
    case 'append':
    case 'command':
    case 'request':
      return config.auto_compact_mode === 'auto';
    default:
      return path satisfies never;
  }
}

/** Whether an agent may be waited for that writes a packet. */
export function awaitsPacket(config: Config): boolean {
  return allows(config, 'turn_complete') && config.packet_author === 'agent';
}

/** Whether the next message of the user may be waited for. */
function armsPreflight(config: Config): boolean {
  const waits = config.auto_requires_any_boundary.includes('turn_complete');
  return allows(config, 'preflight') && waits;
}

/** The compaction that an armed preflight stands for. */
export function preflightAttribution(
  { percent_remaining }: NonNullable<State['preflight']>,
  config: Config,
): Attribution {
  return {
    path: 'preflight',
    tier: tierOf(percent_remaining, config),
    percent_remaining,
    boundaries: ['turn_complete'],
  };
}

/**
 * Ends what waits for a compaction that this configuration no longer makes: an armed preflight, a
 * packet, and an automatic compaction that no worker has taken up. Each is skipped, with the reason
 * in the log; one that has started goes on, as it has cost what it costs, and can be cancelled.
 */
export function disarmed({ state }: Head, config: Config, compaction_id: string): NewEvent[] {
  const { running, packet_request, preflight } = state;
  if (running !== null) {
    const detail = switchedOff(config, running);
    if (running.status !== 'queued' || running.trigger !== 'auto' || detail === null) return [];
    return [skipped(running.id, detail)];
  }
  if (packet_request !== null && !awaitsPacket(config)) {
    return dropped(compaction_id, packet_request.attribution, 'the packet');
  }
  if (preflight !== null && !armsPreflight(config)) {
    return dropped(compaction_id, preflightAttribution(preflight, config), 'the next message');
  }
  return [];
}

function dropped(compaction_id: string, attribution: Attribution, awaited: string): NewEvent[] {
  const detail = `the compaction waited for ${awaited}, and the configuration has changed since: it was dropped`;
  return [automaticRequest(compaction_id, attribution), skipped(compaction_id, detail)];
}

function skipped(compaction_id: string, detail: string): NewEvent {
  return { type: 'compaction.skipped', data: { compaction_id, reason: DISABLED, detail } };
}
