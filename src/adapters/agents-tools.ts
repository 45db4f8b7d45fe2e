import type { Agent, AgentInputItem } from '@openai/agents';
import { isRecord } from './content.ts';

type Item = Record<string, unknown>;

/** What the client itself answers beside functions: types of the SDK, and those of the Responses API. */
const TYPES = {
  shell_call: 'shell_call',
  shell_call_output: 'shell_call_output',
  apply_patch_call: 'apply_patch_call',
  apply_patch_call_output: 'apply_patch_call_output',
  computer_call: 'computer_call',
  computer_call_result: 'computer_call_output',
} as const;
const isOurs = (type: unknown): type is keyof typeof TYPES => Object.hasOwn(TYPES, String(type));
const SDK_TYPES: Item = Object.fromEntries(Object.entries(TYPES).map(([sdk, api]) => [api, sdk]));
/** Fields that have another name there. */
const FIELDS = { callId: 'call_id', exitCode: 'exit_code', data: 'image_url' };
const SDK_FIELDS = Object.fromEntries(Object.entries(FIELDS).map(([sdk, api]) => [api, sdk]));

/** A call or result of shell, editor or computer as an item; null for anything else. */
export function toolItem({ type, ...rest }: AgentInputItem): Item | null {
  return isOurs(type) ? { type: TYPES[type], ...renamed(rest, FIELDS) } : null;
}

/** And back. */
export function toolInput({ type, ...rest }: Item): AgentInputItem[] {
  const sdkType = SDK_TYPES[String(type)];
  // It is what `toolItem` has made of one, with another text in it at most.
  return sdkType === undefined
    ? []
    : [{ type: sdkType, ...renamed(rest, SDK_FIELDS) } as AgentInputItem];
}

/** The fields of an item, of its output and of the outcomes in that, by their other names. */
function renamed(item: Item, names: Record<string, string>): Item {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return isRecord(value) ? renamed(value, names) : value;
  };
  const fields = Object.entries(item).map(([name, value]) => [
    names[name] ?? name,
    name === 'output' || name === 'outcome' ? inner(value) : value,
  ]);
  return Object.fromEntries(fields);
}

type Acting = Pick<Agent, 'tools' | 'mcpServers'> & { handoffs: readonly object[] };
const definitions = new WeakMap<object, Promise<object[]>>();

/** What the model is told of what it may call, read once for each agent; hosted tools have no more than a name. */
export function definitionsOf(agent: Acting): Promise<object[]> {
  const known = definitions.get(agent) ?? readDefinitions(agent);
  definitions.set(agent, known);
  return known;
}

async function readDefinitions({ tools, mcpServers, handoffs }: Acting): Promise<object[]> {
  // One that is away is the run's own problem.
  const served = await Promise.all(mcpServers.map((server) => server.listTools().catch(() => [])));
  return [...tools, ...served.flat(), ...handoffs].map((given) => {
    const { name, description, parameters, inputSchema = parameters, ...more }: Item = { ...given };
    const { toolName = name, toolDescription = description, inputJsonSchema = inputSchema } = more;
    return { name: toolName, description: toolDescription, parameters: inputJsonSchema };
  });
}
