import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import {
  type Address,
  type Environment,
  type Launch,
  MCP_SERVER,
  OWN_SERVER,
  pastProxies,
  type Upstreams,
  valuesOf,
} from './launch.ts';

/** Where the tokens of a ChatGPT login are taken. */
const CHATGPT = 'https://chatgpt.com/backend-api/codex';

const configSchema = z.object({
  model_provider: z.string().optional(),
  openai_base_url: z.string().optional(),
  model_providers: z.record(z.string(), z.object({ base_url: z.string().optional() })).optional(),
  mcp_servers: z.record(z.string(), z.unknown()).optional(),
});
const loginSchema = z.object({
  OPENAI_API_KEY: z.string().nullish(),
  tokens: z.object({}).nullish(),
});

/** What the user has set up for Codex, as far as it says where calls go. */
type CodexSetup = {
  /** A provider of the user's own, with its address; null: OpenAI itself. */
  provider: { name: string; base_url: string } | null;
  base_url: string | null;
  /** Logged in with ChatGPT, and without a key. */
  isChatGpt: boolean;
  /** An MCP server of the user has the name of ours. */
  hasServer: boolean;
};

type Config = z.infer<typeof configSchema>;

/** Reads the files of Codex and the user's arguments; changes none. What cannot be read, Codex says itself. */
export function codexSetup(environment: Environment, own: readonly string[] = []): CodexSetup {
  const folder = environment.CODEX_HOME ?? join(homedir(), '.codex');
  const profile = valuesOf(own, '-p', '--profile').at(-1);
  const files = ['config.toml', ...(profile === undefined ? [] : [`${profile}.config.toml`])];
  const config = [
    ...files.map((name) => read(join(folder, name), (text) => configSchema.parse(parse(text)))),
    namedIn(own),
  ].reduce<Config>((all, one) => layered(all, one ?? {}), {});
  const login = read(join(folder, 'auth.json'), (text) => loginSchema.parse(JSON.parse(text)));
  const name = config.model_provider;
  const base_url = name === undefined ? undefined : config.model_providers?.[name]?.base_url;
  const hasKey = Boolean(environment.OPENAI_API_KEY) || Boolean(login?.OPENAI_API_KEY);
  return {
    provider: name === undefined || base_url === undefined ? null : { name, base_url },
    base_url: config.openai_base_url ?? environment.OPENAI_BASE_URL ?? null,
    isChatGpt: Boolean(login?.tokens) && !hasKey,
    hasServer: Object.hasOwn(config.mcp_servers ?? {}, MCP_SERVER),
  };
}

/** A profile, which has a file of its own, wins over the configuration, and arguments win over both. */
function layered(below: Config, above: Config): Config {
  return {
    ...below,
    ...above,
    model_providers: { ...below.model_providers, ...above.model_providers },
    mcp_servers: { ...below.mcp_servers, ...above.mcp_servers },
  };
}

/** The provider that the user's arguments name (`-c model_provider=…`): as TOML, or bare. */
function namedIn(own: readonly string[]): Config {
  const [, value] =
    valuesOf(own, '-c', '--config')
      .map((setting) => /^\s*model_provider\s*=\s*(\S.*?)\s*$/.exec(setting))
      .findLast((found) => found !== null) ?? [];
  return value === undefined ? {} : { model_provider: value.replace(/^(["'])(.*)\1$/, '$2') };
}

/** Where Codex would have gone. */
export function codexUpstreams({ provider, base_url, isChatGpt }: CodexSetup): Upstreams {
  if (provider !== null) return { PALIMPSEST_UPSTREAM_OPENAI: provider.base_url };
  if (base_url !== null) return { PALIMPSEST_UPSTREAM_OPENAI: base_url };
  return isChatGpt ? { PALIMPSEST_UPSTREAM_CHATGPT: CHATGPT } : {};
}

/** How Codex is started (SPEC 2, section 24): overrides for this run, in front of its own arguments. */
export function codexLaunch(
  { url, key }: Address,
  setup: CodexSetup,
  environment: Environment,
): Launch {
  const { provider, base_url, isChatGpt, hasServer } = setup;
  const isNamed = provider === null && base_url === null && isChatGpt;
  const base = isNamed ? `${url}/u/chatgpt/v1` : `${url}/v1`;
  // The key is in the environment: arguments can be seen by everybody on the machine.
  const set = {
    ...(key !== null && { PALIMPSEST_API_KEY: key }),
    ...pastProxies(url, environment),
  };
  const header = 'env_http_headers={"x-palimpsest-key"="PALIMPSEST_API_KEY"}';
  const settings =
    provider !== null
      ? [
          `model_providers.${provider.name}.base_url=${JSON.stringify(base)}`,
          ...(key === null ? [] : [`model_providers.${provider.name}.${header}`]),
        ]
      : key === null
        ? ['model_provider="openai"', `openai_base_url=${JSON.stringify(base)}`]
        : [
            'model_provider="palimpsest"',
            // By this name it compacts with the service, as it does with OpenAI.
            'model_providers.palimpsest.name="OpenAI"',
            `model_providers.palimpsest.base_url=${JSON.stringify(base)}`,
            'model_providers.palimpsest.wire_api="responses"',
            'model_providers.palimpsest.requires_openai_auth=true',
            `model_providers.palimpsest.${header}`,
          ];
  const server = [
    `mcp_servers.${MCP_SERVER}.url=${JSON.stringify(`${url}/mcp`)}`,
    ...(key === null
      ? []
      : [`mcp_servers.${MCP_SERVER}.bearer_token_env_var="PALIMPSEST_API_KEY"`]),
  ];
  const all = hasServer ? settings : [...settings, ...server];
  const args = all.flatMap((setting) => ['-c', setting]);
  return { args, environment: set, warnings: hasServer ? [OWN_SERVER] : [] };
}

function read<T>(file: string, parsed: (text: string) => T): T | null {
  if (!existsSync(file)) return null;
  try {
    return parsed(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
