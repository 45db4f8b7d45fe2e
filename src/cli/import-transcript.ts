import { z } from 'zod';
import { batches, importedItems, sessionId } from '../app/import-batches.ts';
import type { Transcript } from '../importers/transcript.ts';
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

const appendedSchema = z.object({ compaction: z.object({ id: z.string() }).nullable() });
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
 * that an append requests. Where the session is there already, what the transcript has grown by is
 * appended; with another past it is refused, or goes on in a fork. Throws TargetError when the API
 * refuses.
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
  await jsonOf(created);
  try {
    return await importInto(target, path, transcript, onProgress);
  } catch (error) {
    // Half a session would stand in the way of the next try. What went wrong first is what counts.
    await target.request(path, { method: 'DELETE' }).catch(() => undefined);
    throw error;
  }
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
  if (compaction !== null) await settle(target, own);
  onProgress(items.length);
  return { ...(await importedSession(target, own, transcript)), appended };
}

async function importInto(
  target: Target,
  path: string,
  transcript: Transcript,
  onProgress: (items: number) => void,
): Promise<ImportedSession> {
  const { format } = transcript;
  for (const batch of batches({ items: importedItems(transcript), format })) {
    const appended = appendedSchema.parse(await jsonOf(await post(target, `${path}/items`, batch)));
    if (appended.compaction !== null) await settle(target, path);
    onProgress(batch.length);
  }
  return importedSession(target, path, transcript);
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

/** Waits until no compaction is under way: each request holds for at most a minute. */
async function settle(target: Target, path: string): Promise<void> {
  const running = z.object({ running_compaction: z.unknown().nullable() });
  for (;;) {
    const waited = await target.request(`${path}/context?wait=compaction`);
    await waited.arrayBuffer();
    const state = running.parse(await jsonOf(await target.request(path)));
    if (state.running_compaction === null) return;
  }
}

function post(target: Target, path: string, body: unknown): Promise<Response> {
  return target.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
