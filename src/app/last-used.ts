import { LRUCache } from 'lru-cache';

/**
 * The values that were used last, no more than `most` of them, and none for longer than `ttl` milliseconds
 * where that is given. Their room grows with them: with `max`, lru-cache takes that of all at once.
 */
export function lastUsed<V extends {}>(most: number, ttl = 0): LRUCache<string, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1, ttl });
}
