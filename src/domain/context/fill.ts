import type { Codec } from '../items/codec.ts';
import { codecFor, type Format } from '../items/codecs.ts';
import type { Message, Part } from '../items/item.ts';
import type { Entry } from '../session/entry.ts';

/** What fills a context. */
const FILLS = [
  'system',
  'summary',
  'restored',
  'user',
  'assistant',
  'tool_result',
  'other',
] as const;
export type Fill = (typeof FILLS)[number];

/** A share of a context: `tool` is the name of the tool of results, null elsewhere or where unknown. */
export type FillShare = { fill: Fill; tool: string | null; tokens: number };

/**
 * What fills a context, in tokens without margin, the largest first within each kind. Where one item holds
 * several things, its tokens are split by the length of their texts.
 */
export function fillOf(entries: readonly Entry[], format: Format): FillShare[] {
  const codec = codecFor(format);
  const tools = new Map<string, string>();
  const shares = new Map<string, FillShare>();
  for (const entry of entries) {
    for (const { fill, tool, tokens } of partsOf(entry, codec, tools)) {
      const key = `${fill} ${tool ?? ''}`;
      const known = shares.get(key);
      if (known === undefined) shares.set(key, { fill, tool, tokens });
      else known.tokens += tokens;
    }
  }
  return [...shares.values()]
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => FILLS.indexOf(a.fill) - FILLS.indexOf(b.fill) || b.tokens - a.tokens);
}

function partsOf(entry: Entry, codec: Codec, tools: Map<string, string>): FillShare[] {
  const whole = (fill: Fill): FillShare[] => [{ fill, tool: null, tokens: entry.tokens }];
  switch (entry.origin) {
    case 'initial':
    case 'instructions':
    case 'hook':
      return whole('system');
    case 'boundary':
    case 'summary':
    case 'remote':
      return whole('summary');
    case 'file':
    case 'todo':
    case 'plan':
      return whole('restored');
    case 'preserved':
      return whole('user');
    case 'ghost':
      return whole('other');
    case 'pinned':
    case 'log':
      break;
    default:
      return entry.origin satisfies never;
  }
  const item = codec.normalise(entry.item);
  if (item.kind === 'attachment') return whole('restored');
  return item.kind === 'message' ? messageParts(item, entry.tokens, tools) : whole('other');
}

function messageParts(message: Message, tokens: number, tools: Map<string, string>): FillShare[] {
  const own: Fill = message.role === 'system' ? 'system' : message.role;
  const weighed = message.parts.map((part) => {
    if (part.kind === 'tool_call') tools.set(part.id, part.name);
    const isResult = part.kind === 'tool_result';
    return {
      fill: isResult ? ('tool_result' as const) : own,
      tool: isResult ? (tools.get(part.call_id) ?? null) : null,
      weight: 1 + lengthOf(part),
    };
  });
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return [{ fill: own, tool: null, tokens }];
  return weighed.map(({ fill, tool, weight }) => ({ fill, tool, tokens: (tokens * weight) / sum }));
}

function lengthOf(part: Part): number {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      return part.text.length;
    case 'tool_result':
      return part.content.reduce((sum, one) => sum + lengthOf(one), 0);
    // Not the bytes of a picture: they are no tokens.
    case 'image':
      return 4_000;
    case 'tool_call':
      return JSON.stringify(part.input).length;
    case 'opaque':
      return JSON.stringify(part.json).length;
    default:
      return part satisfies never;
  }
}
