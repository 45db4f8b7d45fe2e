import { type JsonObject, objectsIn, stringField } from '../json.ts';
import { isProviderCompaction } from './provider-compaction.ts';
import { type ProviderCall, type ProviderResult, providerTools } from './provider-tools.ts';

const SEALED_PAST = '[An earlier part of the conversation, which only its provider can read.]';

/**
 * What a block or an item that one provider alone knows says to everybody else, in short labelled texts:
 * what its own tools were asked and have answered, which tools there were, the past that it has
 * compacted. Nothing for all else.
 */
export function providerNotes(json: JsonObject): string[] {
  if (isProviderCompaction(json)) return [stringField(json, 'content') || SEALED_PAST];
  switch (json.type) {
    case 'mcp_list_tools':
      return [`[Tools of the MCP server ${stringField(json, 'server_label')}: ${toolsOf(json)}]`];
    case 'mcp_tool_listing':
      return [
        `[Tools of the MCP server ${stringField(json, 'mcp_server_name')}: ${toolsOf(json)}]`,
      ];
    case 'tool_search_output':
      return [`[tool_search answered: ${toolsOf(json)}]`];
    default:
      return toolNotes(json);
  }
}

function toolsOf({ tools }: JsonObject): string {
  const names = objectsIn(tools).flatMap((tool) => stringField(tool, 'name') ?? []);
  return names.length === 0 ? 'none' : names.join(', ');
}

function toolNotes(json: JsonObject): string[] {
  const uses = providerTools(json);
  const name = uses.find(({ kind }) => kind === 'call');
  const tool = name?.kind === 'call' ? name.name : ranBy(json);
  return uses.map((use) => (use.kind === 'call' ? callNote(use) : resultNote(tool, use)));
}

/** A result alone says by its type whose it is. */
function ranBy({ type }: JsonObject): string {
  const name = String(type).replace(/_?(?:tool_result|output)$/, '');
  return name === 'mcp' ? 'The MCP server' : name;
}

function callNote({ name, input }: ProviderCall): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text === '{}' || text === ''
    ? `[${name} was called]`
    : `[${name} was called with ${text}]`;
}

function resultNote(tool: string, { text, is_error }: ProviderResult): string {
  if (text !== '') return `[${tool} ${is_error ? 'failed' : 'answered'}:]\n${text}`;
  return is_error ? `[${tool} failed]` : `[${tool} answered nothing that can be read here]`;
}
