import type { WrittenSummary } from '../../domain/compaction/stateless.ts';
import type { SummaryOrder } from '../../domain/compaction/summary-order.ts';
import type { ConfigOverrides } from '../../domain/policy/config.ts';
import type { PriceTable } from '../../domain/policy/prices.ts';
import type { Template } from '../../domain/policy/template.ts';
import type { World } from '../../domain/session/world.ts';
import type { TokenizerName } from '../../domain/tokens/tokenizers.ts';
import type { SearchTold } from '../search/search-told.ts';
import type { SessionRef } from './event-store.ts';
import type { SearchableStore } from './search-index.ts';

/**
 * Of a context: events that it is folded from, their bytes and JSON values, and tokens. Pictures have few
 * tokens, tiny items have few bytes, and a value takes as long as a hundred bytes of text.
 */
export type Size = { events: number; bytes: number; values: number; tokens: number };

/** Everything that use cases are handed from outside; each names what it needs of it. */
export type Ports = {
  store: SearchableStore;
  /** Indexes what a search has to find. */
  indexer: { catchUp: (ref: SessionRef, until: number) => Promise<boolean> };
  /** Told of each search that was answered here. */
  onSearch?: ((told: SearchTold) => void) | undefined;
  /** A larger context is worked on in another thread; without it there is none. */
  largestHere?: Size | undefined;
  world: World;
  /** What models cost. */
  prices: PriceTable;
  /** Hands a compaction that was just requested to the workers. */
  dispatch: (job: { ref: SessionRef; compaction_id: string }) => void;
  /** Ends the wait for the packet of a session when its time has come. */
  awaitPacket: (ref: SessionRef, deadlineMs: number) => void;
  /** What agents are asked for their packets with. */
  packetPrompt: Template;
  /** Stops the job of a compaction that was cancelled. */
  cancelJob: (compactionId: string) => void;
  clock: { now(): Date };
  /** A UUIDv7. */
  newId: () => string;
  /** The context window of a model in tokens, or null when it is not known. */
  contextWindowOf: (model: string) => number | null;
  /** Why a session may not name the model that its configuration names; null when it may. */
  modelRefusal: (config: ConfigOverrides) => string | null;
  /** Makes the tokenizer available in `world.tokenizers`. */
  loadTokenizer: (name: TokenizerName) => Promise<void>;
  /** Writes a summary while the client waits; gives up when `signal` says so. */
  summarize: (order: SummaryOrder, signal: AbortSignal) => Promise<WrittenSummary>;
};
