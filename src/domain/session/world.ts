import type { Config, ConfigOverrides } from '../policy/config.ts';
import type { Tokenizers } from '../tokens/tokenizers.ts';

/** What every command is handed from outside: nothing in the domain looks it up by itself. */
export type World = {
  /** The operator's overrides of configuration fields. */
  server: ConfigOverrides;
  tokenizers: Tokenizers;
};

/**
 * What one piece of work goes by from its start to its end, whatever is configured meanwhile. Its
 * configuration is that of its window (tokens), so the two belong together.
 */
export type Terms = { config: Config; context_window: number; tokenizers: Tokenizers };
