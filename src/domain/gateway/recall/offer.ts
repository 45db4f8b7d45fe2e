import { isJsonObject, type Json, type JsonObject, stringField } from '../../json.ts';
import { isOwnTool } from '../../policy/own-tools.ts';
import { historyField, type Protocol } from '../protocol.ts';
import { memberRange, replaceMember } from '../replace-member.ts';
import { recallProtocol } from './protocols.ts';
import type { OfferedTool } from './recall-protocol.ts';

/**
 * The text of a request with our tools behind its own; all other characters stay what they are. Null
 * where none are to be added: it has tools of ours already, which its client answers, or answers to it
 * could not be spliced.
 */
export function withTools(
  protocol: Protocol,
  text: string,
  body: JsonObject,
  offered: readonly OfferedTool[],
): string | null {
  const { tool, mayOffer } = recallProtocol(protocol);
  const { tools: own = null } = body;
  if (!mayOffer(body) || !(own === null || Array.isArray(own))) return null;
  if (own?.some(isOfOurs) === true) return null;
  const added = offered.map((each) => JSON.stringify(tool(each))).join(',');
  const range = memberRange(text, 'tools');
  if (range === null) return text.replace('{', () => `{"tools":[${added}],`);
  return own === null || own.length === 0
    ? replaceMember(text, 'tools', `[${added}]`)
    : `${text.slice(0, range.end - 1)},${added}${text.slice(range.end - 1)}`;
}

/** The same text with the tools that the request came with in place of those; `original`: as it came. */
export function withoutTools(text: string, original: string): string {
  const range = memberRange(text, 'tools');
  if (range === null) return text;
  const own = memberRange(original, 'tools');
  if (own !== null) {
    return text.slice(0, range.start) + original.slice(own.start, own.end) + text.slice(range.end);
  }
  const begin = text.indexOf('{') + 1;
  return text.slice(0, begin) + text.slice(text.indexOf(',', range.end) + 1);
}

function isOfOurs(tool: Json): boolean {
  if (!isJsonObject(tool)) return false;
  const named = isJsonObject(tool.function) ? tool.function : tool;
  return isOwnTool(stringField(named, 'name') ?? '');
}

/** The text of a request whose history goes on with these items, as its provider takes them. */
export function withItems(protocol: Protocol, text: string, items: readonly Json[]): string | null {
  const field = historyField(protocol);
  const range = memberRange(text, field);
  if (range === null) return null;
  const more = items.map((item) => JSON.stringify(item)).join(',');
  const own = text.slice(range.start, range.end);
  if (own.startsWith('"')) {
    return replaceMember(text, field, `[{"role":"user","content":${own}},${more}]`);
  }
  if (!own.endsWith(']')) return null;
  const before = text.slice(0, range.end - 1);
  return `${before}${before.trimEnd().endsWith('[') ? '' : ','}${more}${text.slice(range.end - 1)}`;
}
