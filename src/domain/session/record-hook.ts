import { codecFor } from '../items/codecs.ts';
import type { Item, Normalised } from '../items/item.ts';
import { measureItem } from '../tokens/measure.ts';
import { thresholds } from '../tokens/thresholds.ts';
import { counterFor } from '../tokens/tokenizers.ts';
import { advance } from './advance.ts';
import { type Applied, type Attempt, whileRunning } from './compaction-commands.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import { accept } from './errors.ts';
import type { EventData, NewEvent } from './events.ts';
import { contextTokens, hasUserSpoken } from './head.ts';
import type { Terms } from './world.ts';

/** One call of a hook and what came of it. */
export type HookRun = Omit<EventData['hook.ran'], 'compaction_id'>;

/** Records a hook of the attempt under way. Rejects: session_not_found. */
export function recordHook(attempt: Attempt, run: HookRun): Decide<Applied> {
  return whileRunning(attempt, () => [ran(attempt.compaction_id, run)]);
}

const TOO_LATE =
  'the user has written since: the items would come after that message, and were left out';
const TOO_LARGE = 'the items would bring the context to its threshold, and were left out';

/** `requested_version` is that of the compaction's request. */
type PostCompact = { compaction_id: string; requested_version: number; at: string };

/**
 * Records a PostCompact hook and puts its items after everything else, while the compaction is the
 * one that the context is built on; else nothing. What would lift the context to its threshold is left
 * out, as with restored files, and what would stand after words of the user that came meanwhile
 * (SPEC sections 9 and 16). No compaction follows from it. Rejects:
 * session_not_found.
 */
export function recordPostCompact(
  { config, context_window, tokenizers }: Terms,
  { compaction_id, requested_version, at }: PostCompact,
  run: HookRun,
): Decide<Applied> {
  return (head) => {
    if (head === null) return sessionNotFound();
    if (head.state.base?.compaction_id !== compaction_id) {
      return accept({ events: [], value: () => ({ applied: false }) });
    }
    const codec = codecFor(head.settings.format);
    const count = counterFor(config, tokenizers);
    const appended = (run.result.items ?? []).map((item): NewEvent => {
      const { tokens, normalised } = measureItem(codec, item, count, config);
      return {
        type: 'item.appended',
        data: { item: ofHook(item, normalised), tokens, source: 'hook' },
      };
    });
    const after = advance(head, appended, at);
    const { threshold } = thresholds(config, context_window);
    const isLate = hasUserSpoken(head.state, requested_version);
    const isTooLarge = contextTokens(after.state, config) >= threshold;
    const error = isLate ? TOO_LATE : isTooLarge ? TOO_LARGE : null;
    const events =
      appended.length > 0 && error !== null
        ? [ran(compaction_id, { ...run, ok: false, error, result: {} })]
        : [ran(compaction_id, run), ...appended];
    return accept({ events, value: () => ({ applied: true }) });
  };
}

/** In the log it is an item like others: it says itself that no user wrote it. */
function ofHook(item: Item, normalised: Normalised): Item {
  return normalised.kind === 'message' && normalised.speaker === undefined
    ? { ...item, speaker: 'hook' }
    : item;
}

function ran(compaction_id: string, run: HookRun): NewEvent {
  return { type: 'hook.ran', data: { compaction_id, ...run } };
}
