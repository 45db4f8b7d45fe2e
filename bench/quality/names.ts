import { isFileName, nameKey, readNames } from '../../src/domain/names.ts';
import type { Conversation } from './conversation.ts';

/** A name that was met: as it was last written, how often, and where last. */
type MetName = { name: string; count: number; last: number };

/** The names of a conversation by their keys (docs/name-matching.md); by whom they were said if asked. */
export function namesMet({ passages }: Conversation, voice?: 'assistant'): Map<string, MetName> {
  const met = new Map<string, MetName>();
  for (const { voice: said, text, item } of passages) {
    if (voice !== undefined && said !== voice) continue;
    readNames(text, (name) => {
      const key = nameKey(name);
      met.set(key, { name, count: (met.get(key)?.count ?? 0) + 1, last: item });
    });
  }
  return met;
}

/** The keys of the names in a text. */
export function keysIn(text: string): Set<string> {
  const keys = new Set<string>();
  readNames(text, (name) => keys.add(nameKey(name)));
  return keys;
}

/** The distinct keys of the files in a text, in the order of their first mention. */
export function fileKeysIn(text: string): string[] {
  const keys = new Set<string>();
  readNames(text, (name) => {
    if (isFileName(name)) keys.add(nameKey(name));
  });
  return [...keys];
}
