import type { ConfigOverrides } from '../policy/config.ts';
import type { Tokenizers } from '../tokens/tokenizers.ts';

/** What every command is handed from outside: nothing in the domain looks it up by itself. */
export type World = {
  /** The operator's overrides of configuration fields. */
  server: ConfigOverrides;
  tokenizers: Tokenizers;
};
