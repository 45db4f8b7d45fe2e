import { Indexer } from '../app/search/indexer.ts';
import { reindex } from '../app/search/verify-search.ts';
import { openExistingStore } from './existing-store.ts';
import { quantity } from './quantity.ts';

/** Writes the search index of the store anew from the log, and prints what it came to. */
export async function reindexCommand(): Promise<void> {
  const store = await openExistingStore();
  try {
    const indexer = new Indexer(store, () => {});
    const { sessions, documents } = await reindex(store, indexer);
    console.log(`${quantity(sessions, 'session')}, ${quantity(documents, 'document')} indexed`);
  } finally {
    await store.close();
  }
}
