import type { EventStore, SessionRef } from '../app/ports/event-store.ts';
import type { SummaryOrder, WrittenSummary } from '../domain/compaction/stateless.ts';
import type { ConfigOverrides } from '../domain/policy/config.ts';
import type { Template } from '../domain/policy/template.ts';
import type { World } from '../domain/session/world.ts';
import type { TokenizerName } from '../domain/tokens/tokenizers.ts';
import type { QueueDashboardDependencies } from './admin/queue-dashboard.ts';

export type ApiKey = { name: string; key: string };

export type Limits = {
  body_bytes: number;
  items_per_request: number;
  /** How deep objects and arrays of a body may be nested. */
  json_depth: number;
  /** Objects, arrays and what stands in them, of one body: memory and time go with their number. */
  json_values: number;
  /** Requests; null: no limit. */
  rate_per_minute_per_key: number | null;
};

/** What readiness depends on; each throws when it cannot be reached. */
export type Probes = { store: () => Promise<void>; queue: () => Promise<void> };

/** Everything that the API is handed from outside. */
export type AppDependencies = {
  store: EventStore;
  world: World;
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
  /** Empty: no keys are asked for, and everything belongs to tenant "local". */
  keys: readonly ApiKey[];
  limits: Limits;
  /** The context window of a model in tokens, or null when it is not known. */
  contextWindowOf: (model: string) => number | null;
  /** Why a session may not name the model that its configuration names; null when it may. */
  modelRefusal: (config: ConfigOverrides) => string | null;
  /** Makes the tokenizer available in `world.tokenizers`. */
  loadTokenizer: (name: TokenizerName) => Promise<void>;
  /** Writes a summary while the client waits; gives up when `signal` says so. */
  summarize: (order: SummaryOrder, signal: AbortSignal) => Promise<WrittenSummary>;
  /** What the content of compaction items is encrypted with; null: see `OpaqueContent`. */
  compactionSecret: string | null;
  /** The one that is kept beside the database, for when there is no other. */
  storedSecret: string | null;
  probes: Probes;
  dashboard: QueueDashboardDependencies;
  version: string;
  log: { error(fields: object, message: string): void };
};
