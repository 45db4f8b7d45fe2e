import type { SessionRef } from '../app/ports/event-store.ts';
import { Indexer } from '../app/search/indexer.ts';
import { reindex } from '../app/search/verify-search.ts';
import { tellDamaged } from './damaged.ts';
import { openExistingStore } from './existing-store.ts';
import { quantity } from './quantity.ts';

/**
 * Writes the search index of the store anew from the log, and prints what it came to. False when events of
 * a session are damaged: those after them are not indexed.
 */
export async function reindexCommand(): Promise<boolean> {
  const store = await openExistingStore();
  try {
    const indexer = new Indexer(store, () => {});
    const damaged: SessionRef[] = [];
    const { sessions, documents } = await reindex(store, indexer, (ref) => damaged.push(ref));
    console.log(`${quantity(sessions, 'session')}, ${quantity(documents, 'document')} indexed`);
    tellDamaged(damaged);
    return damaged.length === 0;
  } finally {
    await store.close();
  }
}
