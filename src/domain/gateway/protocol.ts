import type { Format } from '../items/codecs.ts';
import { codecFor } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { splitOpening } from './opening.ts';

/** The three ways in which clients hand over a conversation (SPEC 2, section 23). */
export const PROTOCOLS = ['messages', 'chat', 'responses'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

type Facts = {
  /** Below `/v1`. */
  path: string;
  format: Format;
  /** The field of a request that holds the history. */
  history: 'messages' | 'input';
};

const FACTS: Readonly<Record<Protocol, Facts>> = {
  messages: { path: '/messages', format: 'anthropic', history: 'messages' },
  chat: { path: '/chat/completions', format: 'openai-chat', history: 'messages' },
  responses: { path: '/responses', format: 'openai-responses', history: 'input' },
};

/** The protocol of a path below `/v1`; null for one that only passes through. */
export function protocolOf(path: string): Protocol | null {
  return PROTOCOLS.find((protocol) => FACTS[protocol].path === path) ?? null;
}

export function formatOf(protocol: Protocol): Format {
  return FACTS[protocol].format;
}

/** The name of the field of a request that holds the history. */
export function historyField(protocol: Protocol): Facts['history'] {
  return FACTS[protocol].history;
}

/**
 * The history of a request, as a session takes it: what a program hands over at its head stands in
 * messages of its own. Null when the request has none, or one that is no list of items: whoever serves
 * it says what is wrong with it.
 */
export function historyOf(protocol: Protocol, body: JsonObject): Item[] | null {
  const codec = codecFor(formatOf(protocol));
  const history: Json | undefined = body[historyField(protocol)];
  if (protocol === 'responses' && typeof history === 'string') {
    return history.trim() === '' ? null : [codec.message('user', history)];
  }
  if (!Array.isArray(history) || history.length === 0 || !history.every(isJsonObject)) return null;
  return splitOpening(codec, history);
}

/** Asks the provider for a compaction; at the end of a request of the Responses API. */
export function isTrigger(item: Item | undefined): boolean {
  return item?.type === 'compaction_trigger';
}
