import type { Target } from '../../src/cli/target.ts';
import type { ConfigOverrides } from '../../src/domain/policy/config.ts';
import { conversationOf } from './conversation.ts';
import { drive } from './drive.ts';
import { type Digests, longResults, measureDigests } from './measures/digests.ts';
import type { Session } from './sessions.ts';

/** Every result is cleared, however new it is and whatever tool gave it. */
const EVERY_RESULT: ConfigOverrides = {
  micro_compact_enabled: true,
  micro_compact_strategy: 'all_older',
  micro_compact_min_tokens_to_save: 0,
  micro_compact_min_result_tokens: 0,
  micro_compact_keep_last_n_tools: 0,
  micro_compact_target_tokens: 0,
  micro_compact_eligible_tools: ['*'],
  micro_compact_clear_errors: true,
};

/** What is left of the long results of a session when all are cleared; null when it has none. */
export async function digestsOf(target: Target, session: Session): Promise<Digests | null> {
  const id = `${session.name}-digests`.replaceAll(/[^A-Za-z0-9._:-]+/g, '-').slice(-128);
  const driven = await drive(target, id, session.format, EVERY_RESULT);
  await driven.append(session.items);
  const context = await driven.compact('micro');
  const results = longResults(conversationOf(session.normalised), context.conversation);
  return results.length === 0 ? null : measureDigests(results);
}
