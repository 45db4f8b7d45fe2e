import type { Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { PROFILES } from '../domain/policy/profiles.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import { type AppendPorts, append } from './append.ts';
import { type CreatePorts, createSession } from './create-session.ts';
import { eraseSession } from './erase-session.ts';
import { eventPages } from './event-pages.ts';
import { findSession } from './find.ts';
import { batches, importedItems, sessionId } from './import-batches.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { ReadTranscript } from './ports/transcripts.ts';
import { sync } from './sync.ts';
import type { SyncPorts } from './synced.ts';

/** An import waits for compactions, so that they come where they would have come: so long in all. */
const PATIENCE_SECONDS = 30;

/**
 * Makes a session of a transcript, or brings the one that it made before, or that others write at the same
 * moment, up to it; another past goes on in a fork. What begins and cannot end is erased again. Answers the
 * id of the session. Rejects: invalid_item, invalid_config, session_not_found where somebody erases it
 * meanwhile, and as `sync` does.
 */
export async function importTranscript(
  ports: CreatePorts & AppendPorts & SyncPorts,
  tenant: string,
  transcript: ReadTranscript,
  signal: AbortSignal,
): Promise<Outcome<string>> {
  const { format, model, contextWindow: context_window, source } = transcript;
  const id = sessionId(transcript.name);
  const profile = PROFILES.find((name) => name === transcript.profile);
  const created = await createSession(ports, tenant, {
    id,
    format,
    model,
    metadata: { imported_from: source },
    ...(profile !== undefined && { profile }),
    ...(context_window !== undefined && { context_window }),
  });
  const ref = { tenant, session_id: id };
  const items = importedItems(transcript);
  if (!created.ok) {
    if (created.rejection.code !== 'session_exists' || items.length === 0) return created;
    return goOn(ports, ref, items, format);
  }
  const until = performance.now() + PATIENCE_SECONDS * 1000;
  const { created_at } = created.value;
  let version = created.value.version;
  for (const batch of batches({ items, format })) {
    const seconds = Math.max(0, (until - performance.now()) / 1000);
    const wait = { seconds, signal };
    const appended = await appendBehind(ports, ref, { version, created_at }, batch, wait);
    if (!appended.ok) {
      const now = await placeNow(ports, ref, { version, created_at });
      if (now.ok && now.value !== null) await eraseSession(ports, ref);
      return appended;
    }
    if (appended.value === null) return goOn(ports, ref, items, format);
    version = appended.value;
  }
  return accept(id);
}

/** Where an import has left its session, and which one of its name that is. */
type Place = { version: number; created_at: string };

/**
 * Appends where the import has left off, and answers the version then; null, with nothing appended, where
 * others have gone on there.
 */
async function appendBehind(
  ports: AppendPorts,
  ref: SessionRef,
  { version, created_at }: Place,
  items: readonly Item[],
  wait: { seconds: number; signal: AbortSignal },
): Promise<Outcome<number | null>> {
  for (let now = version; ; ) {
    const expected = { kind: 'version', version: now } as const;
    const appended = await append(ports, ref, { items, expected, idempotency: null, wait });
    if (appended.ok) return accept(appended.value.appended.version);
    if (appended.rejection.code !== 'version_mismatch') return appended;
    const moved = await placeNow(ports, ref, { version: now, created_at });
    if (!moved.ok || moved.value === null) return moved;
    now = moved.value;
  }
}

/**
 * The version of a session that has moved on from there: compactions, pins and the like change nothing of
 * what is to follow. Null where others have told items since, or have made the session anew. Rejects:
 * session_not_found.
 */
async function placeNow(
  { store }: Pick<AppendPorts, 'store'>,
  ref: SessionRef,
  { version, created_at }: Place,
): Promise<Outcome<number | null>> {
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  const { state } = found.value;
  if (state.created_at !== created_at) return accept(null);
  const types = ['item.appended', 'item.superseded'] as const;
  for await (const page of eventPages(store, ref, {
    after: version,
    types,
    limit: EVENTS_AT_A_TIME,
  })) {
    if (page.some(({ data }) => !('source' in data))) return accept(null);
  }
  return accept(state.version);
}

const EVENTS_AT_A_TIME = 100;

async function goOn(ports: SyncPorts, ref: SessionRef, items: Item[], format: Format) {
  const request = { items, format, on_divergence: 'fork' as const };
  const synced = await sync(ports, ref, { ...request, expected: null, idempotency: null });
  return synced.ok ? accept(synced.value.synced.session_id) : synced;
}
