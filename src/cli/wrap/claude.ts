import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import {
  type Address,
  type Environment,
  type Launch,
  MCP_SERVER,
  OWN_SERVER,
  pastProxies,
  type Upstreams,
  valuesOf,
  WrapError,
} from './launch.ts';

/** They send their calls elsewhere, signed for whoever runs them. */
const OTHER_CLOUDS = [
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];

const serversSchema = z.object({ mcpServers: z.record(z.string(), z.json()).optional() });
const settingsSchema = z.object({ env: z.record(z.string(), z.string()).optional() });

/**
 * What settings put into the environment of Claude Code: the user's, the project's, and those of the user's
 * arguments, the later over the earlier. They win over what it is started with.
 */
export function claudeSettings(
  environment: Environment,
  project: string,
  own: readonly string[] = [],
): Environment {
  const folder = environment.CLAUDE_CONFIG_DIR ?? join(homedir(), '.claude');
  const files = [
    join(folder, 'settings.json'),
    ...['settings.json', 'settings.local.json'].map((name) => join(project, '.claude', name)),
  ];
  const given = valuesOf(own, SETTINGS).at(-1);
  const all = [
    ...files.map((file) => (existsSync(file) ? read(() => readFileSync(file, 'utf8')) : null)),
    given === undefined ? null : settingsGiven(given, project),
  ];
  const environments = all.map((settings) => settingsSchema.safeParse(settings).data?.env ?? {});
  return Object.assign({}, ...environments);
}

const SETTINGS = '--settings';

/** Such an argument is JSON, or names a file that has it. */
function settingsGiven(given: string, project: string): JsonObject | null {
  return read(() => (isJson(given) ? given : readFileSync(resolve(project, given), 'utf8')));
}

function isJson(given: string): boolean {
  return given.trimStart().startsWith('{');
}

/** Null for what is no object: Claude Code says itself what is wrong with it. */
function read(text: () => string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text());
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/**
 * Our arguments and the user's. Of two settings Claude Code takes the last ones alone: those of the user
 * get ours into them. `kept` writes settings to a file: those of one can hold a key, and arguments can be
 * seen by everybody on the machine.
 */
export function joinedArguments(
  args: readonly string[],
  own: readonly string[],
  project: string,
  kept: (settings: string) => string,
): string[] {
  const ours = valuesOf(args, SETTINGS).at(-1);
  const theirs = valuesOf(own, SETTINGS).at(-1);
  const settings = theirs === undefined ? null : settingsGiven(theirs, project);
  if (ours === undefined || theirs === undefined || settings === null) return [...args, ...own];
  const { env } = settings;
  const added = read(() => ours)?.env;
  const joined = JSON.stringify({
    ...settings,
    env: { ...(isJsonObject(env) && env), ...(isJsonObject(added) && added) },
  });
  const both = isJson(theirs) ? joined : kept(joined);
  const withBoth = own.map((word, at) => {
    if (own[at - 1] === SETTINGS) return both;
    return word.startsWith(`${SETTINGS}=`) ? `${SETTINGS}=${both}` : word;
  });
  const place = args.indexOf(SETTINGS);
  return [...args.slice(0, place), ...args.slice(place + 2), ...withBoth];
}

/** Whether the user has set up an MCP server of their own under our name, for themselves or the project. */
export function hasOwnServer(environment: Environment, project: string): boolean {
  const home = environment.CLAUDE_CONFIG_DIR ?? homedir();
  return [join(home, '.claude.json'), join(project, '.mcp.json')].some((file) => {
    try {
      const { mcpServers = {} } = serversSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
      return Object.hasOwn(mcpServers, MCP_SERVER);
    } catch {
      // There is none, or Claude Code says itself what is wrong with it.
      return false;
    }
  });
}

/** Where Claude Code would have gone. Throws WrapError for a cloud that the gateway does not speak to. */
export function claudeUpstreams(environment: Environment, settings: Environment): Upstreams {
  const all = { ...environment, ...settings };
  const cloud = OTHER_CLOUDS.find((name) => isOn(all[name]));
  if (cloud !== undefined) {
    throw new WrapError(
      `${cloud} is set: Claude Code then calls that cloud itself and not the address that it is ` +
        'given, so it cannot be wrapped. "palimpsest hook claude" works with it (docs/claude-code.md)',
    );
  }
  const base = all.ANTHROPIC_BASE_URL;
  return base === undefined || base === '' ? {} : { PALIMPSEST_UPSTREAM_ANTHROPIC: base };
}

/** How Claude Code is started (SPEC 2, section 24). */
export function claudeLaunch(
  { url, key }: Address,
  environment: Environment,
  settings: Environment,
  hasServer: boolean,
): Launch {
  const warnings = hasServer ? [OWN_SERVER] : [];
  const address = { ANTHROPIC_BASE_URL: url, ...pastProxies(url, { ...environment, ...settings }) };
  const set: { [name: string]: string } = { ...address };
  if (key !== null) {
    const own = environment.ANTHROPIC_CUSTOM_HEADERS;
    set.PALIMPSEST_API_KEY = key;
    set.ANTHROPIC_CUSTOM_HEADERS = [...(own ? [own] : []), `x-palimpsest-key: ${key}`].join('\n');
    if (settings.ANTHROPIC_CUSTOM_HEADERS !== undefined) {
      throw new WrapError(
        'ANTHROPIC_CUSTOM_HEADERS in the settings of Claude Code takes the place of the header ' +
          `that carries PALIMPSEST_API_KEY: add "x-palimpsest-key: …" there, and unset the variable`,
      );
    }
  }
  // Without it an address of one's own costs some 25,000 tokens of tools with each call.
  if (environment.ENABLE_TOOL_SEARCH === undefined) set.ENABLE_TOOL_SEARCH = 'true';
  else if (environment.ENABLE_TOOL_SEARCH !== 'true') {
    warnings.push(
      `ENABLE_TOOL_SEARCH=${environment.ENABLE_TOOL_SEARCH} is kept: all tools are then sent with each call`,
    );
  }
  // Settings win over the environment, and arguments over settings.
  const isSetElsewhere = Object.keys(address).some((name) => settings[name] !== undefined);
  const args = [
    // As one word: what the user writes behind it would be taken for more servers.
    ...(hasServer ? [] : [`--mcp-config=${servers(url, key)}`]),
    ...(isSetElsewhere ? [SETTINGS, JSON.stringify({ env: address })] : []),
  ];
  return { args, environment: set, warnings };
}

/** Our tools for this run; which session a call is about, the program says with it. */
function servers(url: string, key: string | null): string {
  // Claude Code puts the key in: arguments can be seen by everybody on the machine.
  const headers = { 'x-palimpsest-key': `\${PALIMPSEST_API_KEY}` };
  const server = { type: 'http', url: `${url}/mcp`, ...(key !== null && { headers }) };
  return JSON.stringify({ mcpServers: { [MCP_SERVER]: server } });
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}
