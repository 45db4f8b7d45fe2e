import { PROFILES } from '../domain/policy/profiles.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import { type AppendPorts, append } from './append.ts';
import { type CreatePorts, createSession } from './create-session.ts';
import { eraseSession } from './erase-session.ts';
import { batches, importedItems, sessionId } from './import-batches.ts';
import type { ReadTranscript } from './ports/transcripts.ts';
import { sync } from './sync.ts';
import type { SyncPorts } from './synced.ts';

/** An import waits for compactions, so that they come where they would have come: so long in all. */
const PATIENCE_SECONDS = 30;

/**
 * Makes a session of a transcript, or brings the one that it made before up to it; another past goes on
 * in a fork. What begins and cannot end is erased again. Answers the id of the session. Rejects:
 * invalid_item, invalid_config, and as `sync` does.
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
    const request = { items, format, on_divergence: 'fork' as const };
    const synced = await sync(ports, ref, { ...request, expected: null, idempotency: null });
    return synced.ok ? accept(synced.value.synced.session_id) : synced;
  }
  const until = performance.now() + PATIENCE_SECONDS * 1000;
  for (const batch of batches({ items, format })) {
    const seconds = Math.max(0, (until - performance.now()) / 1000);
    const wait = { seconds, signal };
    const request = { items: batch, expected: null, idempotency: null, wait };
    const appended = await append(ports, ref, request);
    if (appended.ok) continue;
    await eraseSession(ports, ref);
    return appended;
  }
  return accept(id);
}
