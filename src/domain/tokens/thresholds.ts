import type { Config } from '../policy/config.ts';

type Thresholds = {
  /** Tokens from which a session compacts by itself. */
  threshold: number;
  /** What the percentage is taken from: the threshold, or the window when auto-compaction is off. */
  limit: number;
};

export type ThresholdState = {
  tokens: number;
  limit: number;
  percent_remaining: number;
  is_above_warning: boolean;
  is_above_error: boolean;
  is_above_auto_compact: boolean;
};

/** What of a window (tokens) the input may fill: providers count the answer that is asked for, too. */
export function usableWindow(config: Config, contextWindow: number): number {
  return Math.max(0, contextWindow - config.max_output_tokens);
}

/**
 * The threshold of a window (tokens). With the trigger `limit`: more than `auto_compact_token_limit`
 * (SPEC section 15, codex-classic). Else window − free_space_buffer, lowered, never raised, by an
 * explicit threshold or else by a percentage (SPEC section 6).
 */
export function thresholds(config: Config, window: number): Thresholds {
  const contextWindow = usableWindow(config, window);
  const { auto_compact_trigger: trigger, auto_compact_token_limit: tokenLimit } = config;
  if (trigger === 'limit' && tokenLimit !== null) {
    const limit = isAutoCompactOn(config) ? Math.min(tokenLimit, contextWindow) : contextWindow;
    // Beyond the window the provider would refuse the next request.
    return { threshold: Math.min(tokenLimit + 1, contextWindow), limit };
  }
  const byBuffer = contextWindow - config.free_space_buffer;
  const threshold = Math.min(byBuffer, explicitThreshold(config, contextWindow) ?? byBuffer);
  return { threshold, limit: isAutoCompactOn(config) ? threshold : contextWindow };
}

/** Whether anything compacts by itself; a trigger `limit` without a limit never does. */
export function isAutoCompactOn(config: Config): boolean {
  const isOff = config.auto_compact_trigger === 'limit' && config.auto_compact_token_limit === null;
  return config.enabled && config.auto_compact_enabled && !isOff;
}

function explicitThreshold(config: Config, contextWindow: number): number | null {
  if (config.auto_compact_threshold !== null) return config.auto_compact_threshold;
  if (config.auto_compact_pct_override !== null) {
    // In millionths of a percent, since 32.3 % of 200,000 in binary fractions is 64,599.99….
    const millionths = Math.round(config.auto_compact_pct_override * 1e6);
    return Math.floor((contextWindow * millionths) / 1e8);
  }
  return null;
}

/** Where a context of `tokens` stands in its window (SPEC section 6). */
export function thresholdState(tokens: number, config: Config, window: number): ThresholdState {
  const { threshold, limit } = thresholds(config, window);
  const contextWindow = usableWindow(config, window);
  // A tiny percentage of a small window can leave no limit at all.
  const percent = limit <= 0 ? 0 : Math.max(0, ((limit - tokens) * 100) / limit);
  // claude-code measures warning and error from the limit and rounds; the others from the window.
  const fromLimit = config.threshold_style === 'limit';
  const from = fromLimit ? limit : contextWindow;
  return {
    tokens,
    limit,
    percent_remaining: fromLimit ? Math.round(percent) : Math.floor(percent),
    is_above_warning: tokens >= from - config.warning_threshold,
    is_above_error: tokens >= from - config.error_threshold,
    is_above_auto_compact: isAutoCompactOn(config) && tokens >= threshold,
  };
}
