import { isJsonObject, stringField } from '../json.ts';
import { hashedName, safeName } from './convert.ts';
import type { Normalised, ToolCall } from './item.ts';

/**
 * The items with each called tool under a name that every provider accepts, and no two tools under
 * one: a name that is fit stays, another one is written in fit letters, with a hash of the original
 * where a tool has that name already. A tool of a namespace, which only the Responses API knows, is
 * named after both.
 */
export function withDistinctNames(items: readonly Normalised[]): Normalised[] {
  const names = new Set(items.flatMap(callsOf).map(fullName));
  const taken = new Set([...names].filter((name) => safeName(name) === name));
  const fitNames = new Map([...names].map((name) => [name, fitName(name, taken)]));
  return items.map((item) => {
    if (callsOf(item).length === 0 || item.kind !== 'message') return item;
    const parts = item.parts.map((part) =>
      part.kind === 'tool_call'
        ? { ...part, name: fitNames.get(fullName(part)) ?? part.name }
        : part,
    );
    return { ...item, parts };
  });
}

/** Takes the name for the tool, unless it was fit from the start. */
function fitName(name: string, taken: Set<string>): string {
  const plain = safeName(name);
  if (plain === name) return name;
  const free = taken.has(plain) ? hashedName(name) : plain;
  taken.add(free);
  return free;
}

function callsOf(item: Normalised): ToolCall[] {
  if (item.kind !== 'message') return [];
  return item.parts.flatMap((part) => (part.kind === 'tool_call' ? [part] : []));
}

function fullName({ name, source }: ToolCall): string {
  const namespace = isJsonObject(source) ? stringField(source, 'namespace') : undefined;
  if (namespace === undefined || namespace === '') return name;
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
}
