import type { Logger } from 'pino';
import type { AppDependencies } from './api/app-dependencies.ts';
import type { Elsewhere } from './api/http/elsewhere.ts';
import type { TurnTasks } from './app/gateway/turn-tasks.ts';
import { ElsewhereError } from './app/ports/elsewhere-error.ts';
import type { Observe } from './app/ports/observe.ts';
import type { Rules } from './compaction-worker.ts';
import type { ServerSettings } from './config.ts';
import { JSON_DEPTH } from './domain/exact-json.ts';
import { MOST_VALUES } from './domain/json-text.ts';
import type { ConfigOverrides } from './domain/policy/config.ts';
import { contextWindowOf } from './domain/policy/model-table.ts';
import { newId } from './new-id.ts';
import { missingPart } from './optional-parts.ts';
import { packageVersion } from './package-version.ts';
import { readImported } from './read-imported.ts';
import { summarizeNow } from './workers/summarize-now.ts';
import { configRefusal } from './workers/summarizers/model-policy.ts';

/** Why a session cannot be counted as it asks; null when it can. */
function counterRefusal({ token_counter = 'estimate' }: ConfigOverrides): string | null {
  const missing = token_counter === 'estimate' ? null : missingPart('tokenizers');
  return missing === null ? null : `token_counter "${token_counter}" cannot be used: ${missing}`;
}

const ITEMS_PER_REQUEST = 10_000;

/** What differs between the process and its threads. */
type Own = Pick<
  AppDependencies,
  | 'store'
  | 'indexer'
  | 'dispatch'
  | 'awaitPacket'
  | 'cancelJob'
  | 'storedSecret'
  | 'probes'
  | 'dashboard'
  | 'metrics'
  | 'recordings'
  | 'onTurn'
  | 'onSearch'
  | 'knownBodies'
>;

/** What the REST API is handed, in the process and in each of its threads. */
export function restApi(
  { world, policy, templates, chooseSummarizer, prepareTokenizer }: Rules,
  settings: ServerSettings,
  log: Logger,
  { observe, ...own }: Own & { observe: Observe },
): AppDependencies {
  return {
    ...own,
    world,
    prices: settings.prices,
    packetPrompt: templates.packet,
    clock: { now: () => new Date() },
    newId,
    keys: settings.api_keys,
    hasInspector: settings.has_inspector,
    readTranscripts: readImported,
    limits: {
      body_bytes: settings.body_limit_bytes,
      items_per_request: ITEMS_PER_REQUEST,
      json_depth: JSON_DEPTH,
      json_values: MOST_VALUES,
      rate_per_minute_per_key: settings.rate_limit_per_minute,
    },
    contextWindowOf,
    modelRefusal: (config) => configRefusal(policy, config) ?? counterRefusal(config),
    loadTokenizer: prepareTokenizer,
    summarize: summarizeNow({
      templates,
      chooseSummarizer,
      now: () => new Date(),
      observe,
      random: Math.random,
      onFailure: (reason) =>
        log.warn({ reason }, 'no model could write a summary for /v1/responses/compact'),
    }),
    compactionSecret: settings.compaction_secret,
    mcpOtherSessions: settings.mcp_other_sessions,
    gateway: { ...settings.gateway, proxies: settings.proxies },
    version: packageVersion(),
    log,
  };
}

/** In bytes; it takes some 10 ms to parse and check so much, if it is hostile. */
const BODY_HERE = 131_072;

/** In JSON values, of which the least item has three: it takes some 20 ms to append so many. */
const VALUES_HERE = 2_000;

/** What can be read, worked on and written out within some 20 ms, whatever it consists of. */
const CONTEXT_HERE = { events: 1_000, bytes: 2_000_000, values: 10_000, tokens: 250_000 };

/** The API where other threads answer what would hold up this one; none of it is done here then. */
export function withElsewhere(
  api: AppDependencies,
  { answer: elsewhere, turns: turnsElsewhere }: { answer: Elsewhere; turns: TurnTasks },
): AppDependencies {
  return {
    ...api,
    elsewhere,
    turnsElsewhere,
    largestHere: CONTEXT_HERE,
    limits: { ...api.limits, body_bytes_here: BODY_HERE, json_values_here: VALUES_HERE },
    // To load one takes a quarter of a second, and to count with one may take as long.
    loadTokenizer: () => Promise.reject(new ElsewhereError()),
  };
}
