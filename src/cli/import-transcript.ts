import { z } from 'zod';
import { batches, importedItems, sessionId } from '../app/import-batches.ts';
import type { Item } from '../domain/items/item.ts';
import type { Transcript } from '../importers/transcript.ts';
import { type Place, placeNow, placeSchema } from './import-place.ts';
import { jsonOf, type Target } from './target.ts';

export type ImportOptions = {
  profile?: string;
  contextWindow?: number;
  idPrefix: string;
  /** What to do with a transcript that has another past than its session; by default it is refused. */
  on_divergence?: 'fork' | 'reject';
};

export type ImportedSession = {
  id: string;
  format: string;
  items: number;
  /** How many of them are new, where the session was there before. */
  appended?: number;
  skipped: Record<string, number>;
  tokens: number;
  compactions: { micro: number; full: number; skipped: number; failed: number };
};

const appendedSchema = z.object({
  version: z.number(),
  compaction: z.object({ id: z.string() }).nullable(),
});
const sessionSchema = z.object({
  id: z.string(),
  context: z.object({ tokens: z.number() }),
  counts: z.object({
    items: z.number(),
    compactions: z.object({
      micro: z.number(),
      full: z.number(),
      skipped: z.number(),
      failed: z.number(),
    }),
  }),
});

/**
 * Creates a session from a transcript and appends its items in order, waiting for each compaction
 * that an append requests. Where the session is there already, or others write it at the same moment,
 * what it lacks of the transcript is appended; with another past it is refused, or goes on in a fork.
 * Throws TargetError when the API refuses, or somebody erases the session meanwhile.
 */
export async function importTranscript(
  target: Target,
  transcript: Transcript,
  options: ImportOptions,
  onProgress: (items: number) => void,
): Promise<ImportedSession> {
  const id = sessionId(options.idPrefix + transcript.name);
  const path = `/sessions/${encodeURIComponent(id)}`;
  const created = await post(target, '/sessions', {
    id,
    format: transcript.format,
    model: transcript.model ?? undefined,
    profile: options.profile ?? transcript.profile,
    context_window: options.contextWindow ?? transcript.contextWindow,
    metadata: { imported_from: transcript.source },
  });
  if (created.status === 409) {
    await created.arrayBuffer();
    return goOn(target, path, transcript, options, onProgress);
  }
  const place = placeSchema.parse(await jsonOf(created));
  const own = await importInto(target, path, transcript, place, onProgress);
  if (own.isWhole) return importedSession(target, path, transcript);
  const session = await goOn(target, path, transcript, options, () => {});
  return { ...session, appended: own.items + (session.appended ?? 0) };
}

const syncedSchema = z.object({
  session_id: z.string(),
  appended: z.number(),
  compaction: z.object({ id: z.string() }).nullable(),
});

/** Appends what is new of a transcript to the session that was imported from it. */
async function goOn(
  target: Target,
  path: string,
  transcript: Transcript,
  { on_divergence = 'reject' }: ImportOptions,
  onProgress: (items: number) => void,
): Promise<ImportedSession> {
  const { format } = transcript;
  const items = importedItems(transcript);
  if (items.length === 0)
    return { ...(await importedSession(target, path, transcript)), appended: 0 };
  const posted = await post(target, `${path}/sync`, { items, format, on_divergence });
  const { session_id, appended, compaction } = syncedSchema.parse(await jsonOf(posted));
  const own = `/sessions/${encodeURIComponent(session_id)}`;
  if (compaction !== null) await settle(target, own, compaction.id);
  onProgress(items.length);
  return { ...(await importedSession(target, own, transcript)), appended };
}

/** How far an import has come by itself: not to the end where others write the same session. */
type Own = { items: number; isWhole: boolean };

async function importInto(
  target: Target,
  path: string,
  transcript: Transcript,
  begun: Place,
  onProgress: (items: number) => void,
): Promise<Own> {
  const { format } = transcript;
  let place = begun;
  let items = 0;
  for (const batch of batches({ items: importedItems(transcript), format })) {
    try {
      const appended = await appendBehind(target, path, place, batch);
      if (appended === null) return { items, isWhole: false };
      place = { ...place, version: appended.version };
      if (appended.compaction !== null) await settle(target, path, appended.compaction.id);
    } catch (error) {
      // Half a session would stand in the way of the next try. What went wrong first is what counts.
      await eraseOwn(target, path, place).catch(() => undefined);
      throw error;
    }
    items += batch.length;
    onProgress(batch.length);
  }
  return { items, isWhole: true };
}

/** Appends where the import has left off; null, with nothing appended, where others have gone on there. */
async function appendBehind(target: Target, path: string, place: Place, batch: readonly Item[]) {
  for (let now: Place | null = place; now !== null; ) {
    const posted = await post(target, `${path}/items`, batch, { 'if-match': `"${now.version}"` });
    if (posted.status !== 412) return appendedSchema.parse(await jsonOf(posted));
    await posted.arrayBuffer();
    now = await placeNow(target, path, now);
  }
  return null;
}

/** Erases what was imported, unless others have gone on from there. */
async function eraseOwn(target: Target, path: string, place: Place): Promise<void> {
  if ((await placeNow(target, path, place)) === null) return;
  await target.request(path, { method: 'DELETE' });
}

async function importedSession(
  target: Target,
  path: string,
  transcript: Transcript,
): Promise<ImportedSession> {
  const session = sessionSchema.parse(await jsonOf(await target.request(path)));
  return {
    id: session.id,
    format: transcript.format,
    items: session.counts.items,
    skipped: transcript.skipped,
    tokens: session.context.tokens,
    compactions: session.counts.compactions,
  };
}

const runningSchema = z.object({
  id: z.string(),
  running_compaction: z.object({ id: z.string() }).nullable(),
});

/**
 * Waits until no compaction is under way: each request holds for at most a minute. One that has not
 * ended then is taken up: who requested it may have been killed, and nobody else would run it.
 */
async function settle(target: Target, path: string, compaction_id: string): Promise<void> {
  let awaited = compaction_id;
  for (;;) {
    const waited = await target.request(`${path}/context?wait=compaction`);
    await waited.arrayBuffer();
    const state = runningSchema.parse(await jsonOf(await target.request(path)));
    if (state.running_compaction === null) return;
    const { id } = state.running_compaction;
    if (id === awaited) target.local?.takeUp(state.id, id);
    awaited = id;
  }
}

function post(
  target: Target,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return target.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
