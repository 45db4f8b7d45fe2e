import { readFileSync, statSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { type ConfigOverrides, configSchema } from './domain/policy/config.ts';

/** A setting that cannot be used; the message names the variable or field and what it should be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export type ApiKey = { name: string; key: string };

export type ServerSettings = {
  host: string;
  port: number;
  database_path: string;
  synchronous: 'FULL' | 'NORMAL';
  worker_concurrency: number;
  log_level: string;
  api_keys: ApiKey[];
  rate_limit_per_minute: number | null;
  body_limit_bytes: number;
  /** `provider/model` or `extractive` for all sessions; null: each session's own provider. */
  summarization_model: string | null;
  /** Files that a session read may be restored from this folder, if they lie inside it. */
  workspace_root: string | null;
  overrides: ConfigOverrides;
};

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

const environmentSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8787),
  DATABASE_URL: z.string().min(1).default('file:./data/palimpsest.db'),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(1000).default(2),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  PALIMPSEST_CONFIG: z.string().min(1).optional(),
  PALIMPSEST_API_KEYS: z.string().default(''),
  PALIMPSEST_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).optional(),
  PALIMPSEST_BODY_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .default(16 * 1024 * 1024),
  PALIMPSEST_SYNCHRONOUS: z.enum(['FULL', 'NORMAL']).default('FULL'),
  PALIMPSEST_WORKSPACE_ROOT: z.string().min(1).optional(),
  PALIMPSEST_SUMMARIZATION_MODEL: z.string().min(1).optional(),
});

/**
 * The server's settings from the environment and the TOML file that `PALIMPSEST_CONFIG` names (SPEC
 * sections 15 and 17). Throws SettingsError; touches nothing else on disk.
 */
export function readSettings(environment: Environment): ServerSettings {
  const present = Object.entries(environment).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const parsed = environmentSchema.safeParse(Object.fromEntries(present));
  if (!parsed.success) throw new SettingsError(problemsOf(parsed.error));
  const env = parsed.data;
  refuseUnknownVariables(present.map(([name]) => name));
  const api_keys = apiKeys(env.PALIMPSEST_API_KEYS);
  if (api_keys.length === 0 && !LOOPBACK.has(env.HOST)) {
    throw new SettingsError(
      `HOST=${env.HOST} would open the service to the network without keys: set PALIMPSEST_API_KEYS ` +
        '(name:key,…), or leave HOST at 127.0.0.1',
    );
  }
  return {
    host: env.HOST,
    port: env.PORT,
    database_path: databasePath(env.DATABASE_URL),
    synchronous: env.PALIMPSEST_SYNCHRONOUS,
    worker_concurrency: env.WORKER_CONCURRENCY,
    log_level: env.LOG_LEVEL,
    api_keys,
    rate_limit_per_minute: env.PALIMPSEST_RATE_LIMIT_PER_MINUTE ?? null,
    body_limit_bytes: env.PALIMPSEST_BODY_LIMIT_BYTES,
    summarization_model: env.PALIMPSEST_SUMMARIZATION_MODEL ?? null,
    workspace_root: workspaceRoot(env.PALIMPSEST_WORKSPACE_ROOT),
    overrides: {
      ...(env.PALIMPSEST_CONFIG === undefined ? {} : overridesFromToml(env.PALIMPSEST_CONFIG)),
      ...overridesFromEnvironment(environment),
    },
  };
}

/** A misspelt field would otherwise be ignored in silence. */
function refuseUnknownVariables(names: string[]): void {
  const known = new Set([
    ...environmentSchema.keyof().options,
    ...configSchema.keyof().options.map((field) => `PALIMPSEST_${field.toUpperCase()}`),
    // The key that `palimpsest import --url` sends.
    'PALIMPSEST_API_KEY',
  ]);
  const unknown = names.filter((name) => name.startsWith('PALIMPSEST_') && !known.has(name));
  if (unknown.length === 0) return;
  throw new SettingsError(
    `unknown variable ${unknown.join(', ')}: .env.example lists all that there are`,
  );
}

function workspaceRoot(path: string | undefined): string | null {
  if (path === undefined) return null;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new SettingsError(`PALIMPSEST_WORKSPACE_ROOT: ${path} is not a folder`);
}

function databasePath(url: string): string {
  if (url.startsWith('file:')) return url.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
  const scheme = /^([a-z]+):/i.exec(url)?.[1] ?? url;
  throw new SettingsError(
    `DATABASE_URL: "${scheme}" is not a store of this version: use file:PATH for SQLite`,
  );
}

function apiKeys(list: string): ApiKey[] {
  return list
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair, index) => {
      const colon = pair.indexOf(':');
      const name = pair.slice(0, colon);
      const key = pair.slice(colon + 1);
      // Never the pair itself: it may be the secret.
      if (colon < 1 || key === '' || !/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
        throw new SettingsError(
          `PALIMPSEST_API_KEYS: entry ${index + 1} is not name:key (name: letters, digits, ".", "_", "-")`,
        );
      }
      return { name, key };
    });
}

/** Every configuration field as `PALIMPSEST_<FIELD>`, and the two short names of SPEC section 15. */
function overridesFromEnvironment(environment: Environment): ConfigOverrides {
  const overrides: Record<string, unknown> = {};
  const take = (variable: string, field: keyof ConfigOverrides) => {
    const raw = environment[variable];
    if (raw === undefined || raw === '') return;
    const parsed = configSchema.shape[field].safeParse(parsedValue(raw, field));
    if (!parsed.success) {
      throw new SettingsError(`${variable}: ${parsed.error.issues[0]?.message ?? 'invalid'}`);
    }
    overrides[field] = parsed.data;
  };
  take('AUTOCOMPACT_PCT_OVERRIDE', 'auto_compact_pct_override');
  for (const field of configSchema.keyof().options) {
    // This one also takes `extractive`, and is a setting of the server.
    if (field === 'summarization_model') continue;
    take(`PALIMPSEST_${field.toUpperCase()}`, field);
  }
  if (/^(1|true|yes|on)$/i.test(environment.DISABLE_COMPACT ?? '')) overrides.enabled = false;
  return overrides as ConfigOverrides;
}

function parsedValue(raw: string, field: keyof ConfigOverrides): unknown {
  const isList = configSchema.shape[field] instanceof z.ZodArray;
  if (isList) return raw.split(',').map((part) => part.trim());
  if (/^(true|false|null|-?\d+(\.\d+)?)$/.test(raw)) return JSON.parse(raw);
  return raw;
}

function overridesFromToml(path: string): ConfigOverrides {
  let document: unknown;
  try {
    document = parseToml(readFileSync(path, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`PALIMPSEST_CONFIG: ${path} cannot be read: ${why}`);
  }
  const parsed = z.strictObject({ compact: configSchema.partial().optional() }).safeParse(document);
  if (!parsed.success) {
    throw new SettingsError(`PALIMPSEST_CONFIG: ${path}: ${problemsOf(parsed.error)}`);
  }
  return (parsed.data.compact ?? {}) as ConfigOverrides;
}

function problemsOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ` : '') + issue.message)
    .join('; ');
}
