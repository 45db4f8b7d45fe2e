import type { Recordings } from '../app/gateway/recordings.ts';
import type { TurnTasks } from '../app/gateway/turn-tasks.ts';
import type { TurnTold } from '../app/gateway/turn-told.ts';
import type { BodiesOfSessions } from '../app/known-bodies.ts';
import type { Ports } from '../app/ports/ports.ts';
import type { ReadTranscripts } from '../app/ports/transcripts.ts';
import type { QueueDashboardDependencies } from './admin/queue-dashboard.ts';
import type { Proxies } from './gateway/proxies.ts';
import type { ApiKey } from './http/auth.ts';
import type { BodyRoom } from './http/body-room.ts';
import type { Elsewhere } from './http/elsewhere.ts';

export type Limits = {
  body_bytes: number;
  items_per_request: number;
  /** How deep objects and arrays of a body may be nested. */
  json_depth: number;
  /** Objects, arrays and what stands in them, of one body: memory and time go with their number. */
  json_values: number;
  /** A larger body is read in another thread; without them there is none. */
  body_bytes_here?: number | undefined;
  json_values_here?: number | undefined;
  /** Where there is none, all bodies that come are read. */
  room?: BodyRoom | undefined;
  /** Requests; null: no limit. */
  rate_per_minute_per_key: number | null;
};

/** Where the gateway sends requests, and how long one may wait for a compaction, in seconds. */
type GatewaySettings = {
  upstreams: Readonly<Record<string, string>>;
  wait_seconds: number;
  /** Null, or not said: upstreams are asked without one. */
  proxies?: Proxies | null;
};

/** What readiness depends on; each throws when it cannot be reached. */
export type Probes = { store: () => Promise<void>; queue: () => Promise<void> };

/** Everything that the API is handed from outside. */
export type AppDependencies = Ports & {
  /** Empty: no keys are asked for, and everything belongs to tenant "local". */
  keys: readonly ApiKey[];
  limits: Limits;
  /** Whether there are pages for people. */
  hasInspector: boolean;
  readTranscripts: ReadTranscripts;
  /** What the content of compaction items is encrypted with; null: see `OpaqueContent`. */
  compactionSecret: string | null;
  /** The one that is kept beside the database, for when there is no other. */
  storedSecret: string | null;
  /** Whether tools of MCP may reach other sessions of the tenant: a model can be talked into it. */
  mcpOtherSessions: boolean;
  /** Answers requests that would hold up this thread, where there is another one. */
  elsewhere?: Elsewhere | undefined;
  /** What histories that are synced may begin like. */
  knownBodies: BodiesOfSessions;
  gateway: GatewaySettings;
  /** Plans turns of the gateway in another thread, where there is one. */
  turnsElsewhere?: TurnTasks | undefined;
  /** Answers of the gateway that are on their way into the log. */
  recordings: Recordings;
  /** Told what came of each request to the gateway for an answer. */
  onTurn: (told: TurnTold) => void;
  probes: Probes;
  dashboard: QueueDashboardDependencies;
  /** What this process has measured, in the text format of Prometheus. */
  metrics: { page: () => Promise<{ type: string; text: string }> };
  version: string;
  log: { error(fields: object, message: string): void };
};
