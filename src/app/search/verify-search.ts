import type { SessionRef } from '../ports/event-store.ts';
import type { IndexPosition, SearchableStore } from '../ports/search-index.ts';
import { isDamage } from '../ports/store-trouble-error.ts';
import type { Indexer } from './indexer.ts';
import { newDocuments, nextEvents } from './new-documents.ts';

const SESSIONS_AT_A_TIME = 200;
/** Places that are named of a session. */
const MOST_NAMED = 5;

/**
 * Compares the search index with the log, as far as that is indexed and not in the archive: one sentence for each session in
 * which they differ. Of the tokens of each document some are looked for.
 */
export async function* verifySearch(store: SearchableStore): AsyncGenerator<string> {
  for await (const { ref, ...position } of everyPosition(store)) {
    // To read it would bring it back.
    if ((await store.archived.find(ref)) !== null) continue;
    const difference = await differenceIn(store, ref, position).catch(
      () => 'cannot be compared with the log, which is damaged',
    );
    // Indexed further, or erased, while it was looked at.
    if ((await store.search.position(ref))?.indexed !== position.indexed) continue;
    if (difference !== null) {
      yield `Session "${ref.session_id}" of tenant "${ref.tenant}": the search index ${difference}.`;
    }
  }
}

/** In what the index differs, in the words of a sentence; null when it does not. */
async function differenceIn(
  store: SearchableStore,
  ref: SessionRef,
  { indexed, documents: written, begun, format }: IndexPosition,
): Promise<string | null> {
  const wrong: number[] = [];
  let documents = 0;
  for (let version = 0; version < indexed; ) {
    const { events, to } = await nextEvents(store, ref, {
      after: version,
      up_to: indexed,
      most: undefined,
    });
    const expected = await newDocuments(store.search, ref, events, format, documents);
    wrong.push(...(await store.search.wrong(ref, documents, expected)));
    documents += expected.length;
    version = to;
  }
  const places = [...new Set(wrong)];
  const stored = written - begun;
  if (places.length === 0 && stored === documents) return null;
  const named = places.slice(0, MOST_NAMED).join(', ') + (places.length > MOST_NAMED ? ' …' : '');
  const what =
    places.length > 0
      ? `at seq ${named}`
      : `in the number of its documents, ${stored} for ${documents}`;
  return `differs from the log ${what}: "palimpsest reindex" writes it anew`;
}

/** All sessions of the store, by their creation. */
async function* everyPosition(store: SearchableStore) {
  for (let after: number | null = 0; after !== null; ) {
    const { data, next }: Awaited<ReturnType<typeof store.search.positions>> =
      await store.search.positions(after, SESSIONS_AT_A_TIME);
    yield* data;
    after = next;
  }
}

/**
 * Writes the index anew of all sessions whose events are in the store, and leaves what it has of archived ones;
 * answers what it has then. `onDamaged` is told of a session whose events cannot all be read: it is indexed up
 * to those.
 */
export async function reindex(
  store: SearchableStore,
  indexer: Indexer,
  onDamaged: (ref: SessionRef) => void,
) {
  const isAnyArchived = (await store.archived.list(0, 1)).length > 0;
  // At once, and whatever is wrong with it.
  if (!isAnyArchived) await store.search.clear();
  const counted = { sessions: 0, documents: 0 };
  for await (const { ref } of everyPosition(store)) {
    if (isAnyArchived && (await store.archived.find(ref)) === null) await store.search.forget(ref);
    try {
      await indexer.catchUp(ref, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!isDamage(error)) throw error;
      onDamaged(ref);
    }
    counted.sessions += 1;
    counted.documents += (await store.search.position(ref))?.documents ?? 0;
  }
  return counted;
}
