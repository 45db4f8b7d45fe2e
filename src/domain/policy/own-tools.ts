import type { ToolCall } from '../items/item.ts';
import { isJsonObject, type Json, stringField } from '../json.ts';

/** The tools that Palimpsest offers to agents (SPEC 2, section 21). */
export const OWN_TOOLS = ['search_history', 'recall', 'compact', 'pin', 'context_status'] as const;

/**
 * Those that read what has left the context. Summaries tell of them, and the gateway may answer them: what
 * changes the context would change it in the middle of an answer.
 */
export const LOOK_UP_TOOLS: ReadonlySet<string> = new Set<(typeof OWN_TOOLS)[number]>([
  'search_history',
  'recall',
]);

const SERVER = 'palimpsest';
const ENDING = new RegExp(`(?:__|--|[_.:/-])(?:${OWN_TOOLS.join('|')})$`);
/** No provider takes longer names. */
const LONGEST_NAME = 200;

/**
 * Whether this is the name of one of our tools, as clients write names of the tools of a server that
 * is called palimpsest: `mcp__palimpsest__recall`, `palimpsest.recall`, `mcp_palimpsest_recall`. A bare
 * `recall` may be anybody's.
 */
export function isOwnTool(name: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  const lower = name.toLowerCase();
  const ending = ENDING.exec(lower);
  return ending !== null && lower.slice(0, ending.index).includes(SERVER);
}

/**
 * The name of a called tool; of one of ours with its server, which Codex names in a field of its own, or
 * calls in a script.
 */
export function qualifiedName({ name, source }: Pick<ToolCall, 'name' | 'source'>): string {
  if (name === SCRIPT) return ownToolIn(source) ?? name;
  const namespace = isJsonObject(source) ? stringField(source, 'namespace') : undefined;
  const full = `${namespace}__${name}`;
  return namespace !== undefined && isOwnTool(full) ? full : name;
}

const SCRIPT = 'exec';
const CALLED = /\btools\.(\w{1,200})\s*\(/g;

/** One of our tools that a script of Codex's code mode calls. */
function ownToolIn(source: Json): string | undefined {
  const script = isJsonObject(source) ? (stringField(source, 'input') ?? '') : '';
  if (!script.includes(SERVER)) return undefined;
  return [...script.matchAll(CALLED)].map(([, name = '']) => name).find(isOwnTool);
}
