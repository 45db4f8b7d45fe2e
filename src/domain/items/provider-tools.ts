import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import { decodeArguments } from './decode-arguments.ts';

/** A call of a tool that the provider runs itself, inside what the model says. `is_open`: another block answers it. */
export type ProviderCall = {
  kind: 'call';
  id: string;
  name: string;
  input: Json;
  is_open: boolean;
};
/** What such a tool has answered: the texts that can be read. `of`: the id of its call. */
export type ProviderResult = { kind: 'result'; of: string; text: string; is_error: boolean };

/**
 * What a block or an item says of a tool that the provider runs (web search, code, MCP servers): a call,
 * its result, or both in one; nothing for all else. No client answers these calls.
 */
export function providerTools(json: Json): (ProviderCall | ProviderResult)[] {
  if (!isJsonObject(json)) return [];
  const type = stringField(json, 'type') ?? '';
  const id = stringField(json, 'id') ?? '';
  switch (type) {
    case 'server_tool_use':
    case 'mcp_tool_use':
      return [called(id, nameOf(json), json.input ?? {}, true)];
    case 'mcp_call':
      return ran(
        id,
        nameOf(json),
        decodeArguments(json.arguments),
        [json.output ?? null, json.error ?? null],
        json,
      );
    case 'web_search_call':
      return ran(id, 'web_search', withoutSources(json.action), sourcesOf(json.action), json);
    case 'file_search_call':
      return ran(id, 'file_search', json.queries ?? [], json.results, json);
    case 'code_interpreter_call':
      return ran(id, 'code_interpreter', json.code ?? '', json.outputs, json);
    case 'image_generation_call':
      return ran(id, 'image_generation', {}, [], json);
    case 'tool_search_call':
      // What it found has no id.
      return [called(id, 'tool_search', json.arguments ?? {}, false)];
    case 'program':
      return [called(calledBy(json), 'program', json.code ?? '', true)];
    case 'program_output':
      return [resultOf(calledBy(json), json.result, json)];
    default:
      return type.endsWith('_tool_result') ? [ofAnthropic(json)] : [];
  }
}

function called(id: string, name: string, input: Json, is_open: boolean): ProviderCall {
  return { kind: 'call', id, name, input, is_open };
}

function calledBy(json: JsonObject): string {
  return stringField(json, 'call_id') ?? '';
}

/** Tools of an MCP server bear its name, as tools with a namespace do. */
function nameOf(json: JsonObject): string {
  const name = stringField(json, 'name') ?? '';
  const server = stringField(json, 'server_name') ?? stringField(json, 'server_label');
  return server === undefined ? name : `${server}__${name}`;
}

function ofAnthropic(json: JsonObject): ProviderResult {
  const of = stringField(json, 'tool_use_id') ?? '';
  const { content } = json;
  const result = resultOf(of, content, json);
  if (!isJsonObject(content)) return result;
  const text = wholeFileIn(content) ?? result.text;
  return { ...result, text, is_error: result.is_error || hasFailed(content) };
}

/** All of a file that the provider's editor shows, with the numbers that editors of clients write. */
function wholeFileIn({
  type,
  file_type,
  content,
  num_lines,
  total_lines,
}: JsonObject): string | null {
  const isWhole = file_type === 'text' && num_lines === total_lines && num_lines !== null;
  if (type !== 'text_editor_code_execution_view_result' || !isWhole) return null;
  if (typeof content !== 'string' || content === '') return null;
  const lines = content.split('\n').map((line, at) => `${String(at + 1).padStart(6)}\t${line}`);
  return lines.join('\n');
}

/** By its type, or by the code that a command has ended with. */
function hasFailed({ type, return_code: code }: JsonObject): boolean {
  return String(type).endsWith('_error') || (typeof code === 'number' && code !== 0);
}

function ran(
  id: string,
  name: string,
  input: Json,
  output: Json | undefined,
  item: JsonObject,
): (ProviderCall | ProviderResult)[] {
  return [called(id, name, input, false), resultOf(id, output, item)];
}

function resultOf(of: string, output: Json | undefined, item: JsonObject): ProviderResult {
  const is_error =
    item.is_error === true || item.status === 'failed' || (item.error ?? null) !== null;
  return { kind: 'result', of, text: readableIn(output).join('\n'), is_error };
}

function withoutSources(action: Json | undefined): Json {
  if (!isJsonObject(action)) return {};
  const { sources: _, type: __, ...asked } = action;
  return asked;
}

function sourcesOf(action: Json | undefined): Json {
  return isJsonObject(action) ? (action.sources ?? []) : [];
}

/** What only the provider, a program or nobody reads. */
const UNREADABLE =
  /^(?:type|caller|media_type|page_age|retrieved_at|file_type|.*_?id|encrypted_.*)$/;
const LONGEST_WORD = 400;

/** The texts inside an answer, in their order, without ids, what is encrypted and base64. */
function readableIn(json: Json | undefined): string[] {
  if (typeof json === 'string') {
    const isBinary = json.length > LONGEST_WORD && /^(?:data:[^,]*,)?[\w+/=-]+$/.test(json);
    return isBinary || json === '' ? [] : [json];
  }
  if (Array.isArray(json)) return json.flatMap(readableIn);
  if (!isJsonObject(json)) return [];
  return Object.entries(json).flatMap(([key, value]) =>
    UNREADABLE.test(key) ? [] : readableIn(value),
  );
}
