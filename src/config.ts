import { statSync } from 'node:fs';
import { z } from 'zod';
import { archivePlace } from './config/archive-place.ts';
import { overridesFromEnvironment } from './config/environment-overrides.ts';
import { hookSettings } from './config/hook-table.ts';
import { readPrices } from './config/price-file.ts';
import { readProxies } from './config/proxies.ts';
import { problemsOf, SettingsError } from './config/settings-error.ts';
import { readTomlFile } from './config/toml-file.ts';
import { isUpstreamVariable, readUpstreams } from './config/upstreams.ts';
import { IN_PLAIN_WORDS } from './domain/issue-words.ts';
import { nearestName } from './domain/nearest-name.ts';
import { type ConfigOverrides, configSchema } from './domain/policy/config.ts';
import { toolPatternProblem } from './domain/policy/tool-patterns.ts';
import { protocolOf, shownScheme, urlsOfHosts } from './domain/url-text.ts';
import { readRedisUrl } from './workers/engines/bullmq/redis-address.ts';
import { modelTable } from './workers/summarizers/default-model.ts';
import { isModelPattern } from './workers/summarizers/model-policy.ts';

type ApiKey = { name: string; key: string };

/** Where the events are (SPEC section 17). */
export type DatabaseSettings =
  | { kind: 'sqlite'; path: string; synchronous: 'FULL' | 'NORMAL' }
  | { kind: 'postgres'; url: string };

/** Where jobs wait when processes share them. */
type QueueSettings = {
  redis_url: string;
  /** Keys in Redis start with it. */
  prefix: string;
  /** How long the job of a worker that died stays locked. */
  lock_ms: number;
};

export type ServerSettings = ReturnType<typeof readSettings>;

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

/** The longest text that the runtime can hold. */
const MAX_BODY_BYTES = 512 * 1024 * 1024;

/** A number in a variable, where everything arrives as text. */
function figure(kind: 'whole number' | 'number', min: number, max: number, example: number) {
  const error = `must be a ${kind} from ${min} to ${max}, such as ${example}`;
  const number = z.coerce.number({ error }).min(min, error).max(max, error);
  return kind === 'number' ? number : number.int(error);
}

function secret(characters: number) {
  const error = `must have at least ${characters} characters: make one with "openssl rand -hex 32"`;
  return z.string().min(characters, error);
}

function address(example: string) {
  return z.url({ protocol: /^https?$/, error: `must be an address such as ${example}` });
}

function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

const PORT = figure('whole number', 0, 65_535, 8787);

/** The port that the environment names; undefined: none. Throws SettingsError. */
export function portIn({ PORT: port }: Environment): number | undefined {
  if (port === undefined || port === '') return undefined;
  const parsed = PORT.safeParse(port);
  if (parsed.success) return parsed.data;
  throw new SettingsError(`PORT: ${parsed.error.issues[0]?.message}`);
}

const environmentSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: PORT.optional(),
  // `api` answers requests, `worker` runs compactions, `all` does both.
  ROLE: oneOf('all', 'api', 'worker').default('all'),
  DATABASE_URL: z.string().min(1).default('file:./data/palimpsest.db'),
  REDIS_URL: z.string().optional(),
  WORKER_CONCURRENCY: figure('whole number', 1, 1000, 2).default(2),
  LOG_LEVEL: oneOf('silent', 'error', 'warn', 'info', 'debug', 'trace').default('info'),
  PALIMPSEST_CONFIG: z.string().min(1).optional(),
  PALIMPSEST_API_KEYS: z.string().default(''),
  PALIMPSEST_OPERATOR_KEY: secret(16).optional(),
  PALIMPSEST_INSPECTOR: oneOf('on', 'off').default('on'),
  PALIMPSEST_COMPACTION_SECRET: secret(32).optional(),
  PALIMPSEST_QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'use letters, digits, ".", "_" and "-", at most 64')
    .default('palimpsest'),
  PALIMPSEST_JOB_LOCK_SECONDS: figure('number', 1, 3600, 30).default(30),
  PALIMPSEST_DISPATCH_SECONDS: figure('number', 1, 3600, 60).default(60),
  PALIMPSEST_RATE_LIMIT_PER_MINUTE: figure('whole number', 1, 1_000_000_000, 600).optional(),
  PALIMPSEST_THREADS: figure('whole number', 0, 64, 1).optional(),
  PALIMPSEST_BODY_LIMIT_BYTES: figure('whole number', 1024, MAX_BODY_BYTES, 16_777_216).default(
    16 * 1024 * 1024,
  ),
  PALIMPSEST_SYNCHRONOUS: oneOf('FULL', 'NORMAL').default('FULL'),
  PALIMPSEST_ARCHIVE: z.string().min(1).optional(),
  PALIMPSEST_WORKSPACE_ROOT: z.string().min(1).optional(),
  PALIMPSEST_PRICES: z.string().min(1).optional(),
  PALIMPSEST_SUMMARIZATION_MODEL: z.string().min(1).optional(),
  PALIMPSEST_ALLOWED_MODELS: z.string().min(1).optional(),
  PALIMPSEST_MCP_OTHER_SESSIONS: oneOf('on', 'off').default('off'),
  PALIMPSEST_UPSTREAM_ANTHROPIC: z.string().min(1).optional(),
  PALIMPSEST_UPSTREAM_OPENAI: z.string().min(1).optional(),
  PALIMPSEST_GATEWAY_WAIT: figure('number', 0, 600, 30).default(30),
  OTEL_EXPORTER_OTLP_ENDPOINT: address('http://127.0.0.1:4318').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address('http://127.0.0.1:4318/v1/traces').optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.string().optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('palimpsest'),
});

/**
 * The server's settings from the environment and the TOML file that `PALIMPSEST_CONFIG` names (SPEC
 * sections 15 and 17). Throws SettingsError; touches nothing else on disk.
 */
export function readSettings(environment: Environment) {
  const present = presentIn(environment);
  const parsed = environmentSchema.safeParse(Object.fromEntries(present), IN_PLAIN_WORDS);
  if (!parsed.success) throw new SettingsError(problemsOf(environmentSchema, parsed.error));
  const env = parsed.data;
  const file = readTomlFile(env.PALIMPSEST_CONFIG);
  const overrides: ConfigOverrides = {
    ...file.compact,
    ...overridesFromEnvironment(Object.fromEntries(present)),
  };
  const misfit = toolPatternProblem(overrides.micro_compact_eligible_tools ?? []);
  if (misfit !== null) throw new SettingsError(`micro_compact_eligible_tools: ${misfit}`);
  const secrets = file.hooks.map(({ secret_env }) => secret_env);
  refuseUnknownVariables(
    present.map(([name]) => name),
    secrets,
  );
  return {
    host: env.HOST,
    // Several workers run on one machine, and nobody but a supervisor asks them anything.
    port: env.PORT ?? (env.ROLE === 'worker' ? 0 : 8787),
    role: env.ROLE,
    database: database(env.DATABASE_URL, env.PALIMPSEST_SYNCHRONOUS),
    /** Where archived sessions are; null: nowhere. */
    archive: archivePlace('PALIMPSEST_ARCHIVE', env.PALIMPSEST_ARCHIVE),
    /** Null: jobs run in this process. */
    queue: queue(env),
    /** How often everything that has not ended is handed over again. */
    dispatch_every_ms: env.PALIMPSEST_DISPATCH_SECONDS * 1000,
    worker_concurrency: env.WORKER_CONCURRENCY,
    /** Most threads for compactions, and as many for requests; null: one less than the cores. */
    threads: env.PALIMPSEST_THREADS ?? null,
    log_level: env.LOG_LEVEL,
    /** Where traces go, by OTLP over HTTP; null: nowhere. */
    tracing: tracing(env),
    api_keys: apiKeys(env.PALIMPSEST_API_KEYS),
    /** Opens `/admin/queues`; null: nobody does. */
    operator_key: env.PALIMPSEST_OPERATOR_KEY ?? null,
    /** Pages for people at `/`. */
    has_inspector: env.PALIMPSEST_INSPECTOR === 'on',
    /** What compaction items are encrypted with; null: derived from the keys, or made up at start. */
    compaction_secret: env.PALIMPSEST_COMPACTION_SECRET ?? null,
    rate_limit_per_minute: env.PALIMPSEST_RATE_LIMIT_PER_MINUTE ?? null,
    body_limit_bytes: env.PALIMPSEST_BODY_LIMIT_BYTES,
    /** `provider/model` or `extractive` for all sessions; null: each session's own provider. */
    summarization_model: env.PALIMPSEST_SUMMARIZATION_MODEL ?? null,
    /** Patterns of the models that sessions may name; null: those that the server itself names. */
    allowed_models: allowedModels(env.PALIMPSEST_ALLOWED_MODELS),
    /** Whether tools of MCP may reach all sessions of their tenant. */
    mcp_other_sessions: env.PALIMPSEST_MCP_OTHER_SESSIONS === 'on',
    /** Which model summarises for the sessions of each provider. */
    models: modelTable(file.models),
    /** The webhooks that a worker calls; none in a process that runs no compactions. */
    hooks: env.ROLE === 'api' ? [] : hookSettings(file.hooks, environment),
    /** Files that a session read may be restored from this folder, if they lie inside it. */
    workspace_root: workspaceRoot(env.PALIMPSEST_WORKSPACE_ROOT),
    /** What models cost. */
    prices: readPrices(env.PALIMPSEST_PRICES),
    gateway: {
      upstreams: readUpstreams(present),
      /** How long a request waits for a compaction that it needs. */
      wait_seconds: env.PALIMPSEST_GATEWAY_WAIT,
    },
    /** On the way to upstreams, models and hooks; null: there are none. */
    proxies: readProxies(environment),
    overrides,
  };
}

/**
 * The variables that are set, without the white space around their values: files of variables and mounted
 * secrets often end in a line break. One secret keeps it, or what was sealed with it could not be opened.
 */
function presentIn(environment: Environment): [name: string, value: string][] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const trimmed = value.trim();
    if (trimmed === '') return [];
    return [[name, name === 'PALIMPSEST_COMPACTION_SECRET' ? value : trimmed]];
  });
}

/** Throws SettingsError when these settings would open sessions to the network without keys. */
export function refuseOpenWithoutKeys({ host, role, api_keys }: ServerSettings): void {
  // A worker says nothing but whether it is well.
  if (api_keys.length > 0 || role === 'worker' || LOOPBACK.has(host)) return;
  throw new SettingsError(
    `HOST=${host} would open the service to the network without keys: set PALIMPSEST_API_KEYS ` +
      '(name:key,…), or leave HOST at 127.0.0.1',
  );
}

const PREFIX = 'PALIMPSEST_';

/** A misspelt field would otherwise be ignored in silence. */
function refuseUnknownVariables(names: string[], secrets: readonly string[]): void {
  const known = new Set([
    ...secrets,
    ...environmentSchema.keyof().options,
    ...configSchema.keyof().options.map((field) => `PALIMPSEST_${field.toUpperCase()}`),
    // What commands talk to, and the key that they send.
    'PALIMPSEST_URL',
    'PALIMPSEST_API_KEY',
  ]);
  const unknown = names.filter(
    (name) => name.startsWith(PREFIX) && !known.has(name) && !isUpstreamVariable(name),
  );
  if (unknown.length === 0) return;
  const ends = [...known]
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  const named = unknown.map((name) => {
    // Without what all of them begin with, which would make any two alike.
    const nearest = nearestName(name.slice(PREFIX.length), ends);
    return nearest === null ? name : `${name} (did you mean ${PREFIX}${nearest}?)`;
  });
  throw new SettingsError(`unknown variable ${named.join(', ')}: .env.example lists all of them`);
}

function allowedModels(list: string | undefined): string[] | null {
  if (list === undefined) return null;
  const patterns = list.split(',').map((pattern) => pattern.trim());
  const wrong = patterns.find((pattern) => !isModelPattern(pattern));
  if (wrong === undefined) return patterns;
  throw new SettingsError(
    `PALIMPSEST_ALLOWED_MODELS: "${wrong}" is not provider/model: write anthropic/*,openai/gpt-4o-mini`,
  );
}

function workspaceRoot(path: string | undefined): string | null {
  if (path === undefined) return null;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new SettingsError(`PALIMPSEST_WORKSPACE_ROOT: ${path} is not a folder`);
}

function database(url: string, synchronous: 'FULL' | 'NORMAL'): DatabaseSettings {
  if (url.startsWith('file:')) {
    return { kind: 'sqlite', path: sqlitePath(url), synchronous };
  }
  if (urlsOfHosts(url).every((one) => /^postgres(?:ql)?:$/.test(protocolOf(one)))) {
    return { kind: 'postgres', url };
  }
  throw new SettingsError(
    `DATABASE_URL: ${shownScheme(url)} is not a known kind of store: use file:PATH for SQLite or ` +
      'postgres://USER:PASSWORD@HOST/DATABASE for PostgreSQL, or HOST,HOST/DATABASE for several',
  );
}

/** Throws SettingsError for what would be a file in a place that nobody means. */
function sqlitePath(url: string): string {
  const path = url.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
  const problem =
    (path === '' && 'names no file') ||
    (path.startsWith('//') && 'has a host where the path begins') ||
    (/^~(?:\/|$)/.test(path) && 'begins with "~", which stands for no folder here') ||
    (path.includes('?') && 'has parameters after a "?", which are not known');
  if (!problem) return path;
  throw new SettingsError(
    `DATABASE_URL: it ${problem}: write file:./data/palimpsest.db, or file:/PATH with all of the path`,
  );
}

function queue(env: z.infer<typeof environmentSchema>): QueueSettings | null {
  const { REDIS_URL: redis_url, ROLE } = env;
  if (redis_url === undefined) {
    if (ROLE === 'all') return null;
    throw new SettingsError(
      `ROLE=${ROLE} needs REDIS_URL: processes of different roles share their jobs through Redis`,
    );
  }
  const address = readRedisUrl(redis_url);
  if (address.kind === 'unusable') throw new SettingsError(`REDIS_URL: ${address.why}`);
  return {
    redis_url,
    prefix: env.PALIMPSEST_QUEUE_PREFIX,
    lock_ms: env.PALIMPSEST_JOB_LOCK_SECONDS * 1000,
  };
}

/** As OpenTelemetry has it: an address for traces alone is taken as it is, and goes before the one for all. */
function tracing(
  env: z.infer<typeof environmentSchema>,
): { url: string; service_name: string } | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = env;
  const url = own ?? (all && `${all.replace(/\/+$/, '')}/v1/traces`);
  const isOff =
    env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  return url === undefined || isOff ? null : { url, service_name: env.OTEL_SERVICE_NAME };
}

function apiKeys(list: string): ApiKey[] {
  const keys = list
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair, index) => {
      const colon = pair.indexOf(':');
      const name = pair.slice(0, colon);
      // No header brings white space around a key.
      const key = pair.slice(colon + 1).trim();
      // Never the pair itself: it may be the secret.
      if (colon < 1 || key === '' || !/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
        throw new SettingsError(
          `PALIMPSEST_API_KEYS: entry ${index + 1} is not name:key (name: letters, digits, ".", "_", "-")`,
        );
      }
      return { name, key };
    });
  // Variables that were to be put in and are empty: it would open to all who reach it.
  if (list !== '' && keys.length === 0) {
    throw new SettingsError('PALIMPSEST_API_KEYS: names no key: write name:key, or leave it unset');
  }
  refuseSharedKeys(keys);
  return keys;
}

/** Whoever sends a key of two names would get the sessions of one of them, by chance. */
function refuseSharedKeys(keys: readonly ApiKey[]): void {
  const owners = new Map<string, string>();
  for (const { name, key } of keys) {
    const owner = owners.get(key);
    if (owner !== undefined && owner !== name) {
      throw new SettingsError(
        `PALIMPSEST_API_KEYS: "${owner}" and "${name}" have the same key: give each name a key of its own`,
      );
    }
    owners.set(key, name);
  }
}
