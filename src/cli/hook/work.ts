import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { importedItems, sessionId } from '../../app/import-batches.ts';
import { readTranscripts, textOf } from '../../importers/read-transcripts.ts';
import { openTarget } from '../open-target.ts';
import { jsonOf, type Target } from '../target.ts';
import { isService, usualAddress, usualDatabase } from '../usual-places.ts';
import { keptFacts, ledgerFacts } from './kept-facts.ts';

const inputSchema = z.object({
  hook_event_name: z.string(),
  transcript_path: z.string(),
  source: z.string().optional(),
});
const syncedSchema = z.object({ session_id: z.string() });

/**
 * The work of a hook of Claude Code, told on standard input what has happened (SPEC 2, section 24): brings
 * the log up to the transcript, and prints what is to be kept over a compaction. A process of its own, which
 * the command ends where it takes too long.
 */
async function work(): Promise<void> {
  const input = inputSchema.parse(JSON.parse(await text(process.stdin)));
  const target = await usualTarget();
  const said = await answer(target, input);
  if (said !== '') console.log(said);
  await target.close();
}

/** Where wrapped programs are recorded as well, unless the user says otherwise. */
async function usualTarget(): Promise<Target> {
  const { PALIMPSEST_URL, DATABASE_URL } = process.env;
  if (PALIMPSEST_URL || DATABASE_URL) return openTarget({}, true);
  const url = usualAddress(process.env);
  if (await isService(url)) return openTarget({ url }, true);
  process.env.DATABASE_URL = usualDatabase(process.env);
  return openTarget({}, true);
}

async function answer(
  target: Target,
  { hook_event_name, transcript_path, source }: z.infer<typeof inputSchema>,
): Promise<string> {
  const session = await synced(target, transcript_path);
  if (session === null) return '';
  switch (hook_event_name) {
    case 'PreCompact': {
      const kept = await factsOf(target, session);
      return kept === '' ? '' : `Keep all of this in the summary:\n\n${kept}`;
    }
    case 'SessionStart': {
      if (source !== 'compact') return '';
      const kept = await factsOf(target, session);
      if (kept === '') return '';
      const additionalContext = `From the log of this session, before it was compacted:\n\n${kept}`;
      return JSON.stringify({
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext },
      });
    }
    default:
      return '';
  }
}

/** Brings the session of a transcript up to it; answers its id, or null for an empty one. */
async function synced(target: Target, file: string): Promise<string | null> {
  const name = basename(file);
  const [transcript] = readTranscripts(name, textOf(name, readFileSync(file)));
  const items = transcript === undefined ? [] : importedItems(transcript);
  if (transcript === undefined || items.length === 0) return null;
  const path = `/sessions/${encodeURIComponent(sessionId(transcript.name))}/sync`;
  const response = await target.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items, format: transcript.format, on_divergence: 'fork' }),
  });
  return syncedSchema.parse(await jsonOf(response)).session_id;
}

async function factsOf(target: Target, session: string): Promise<string> {
  const response = await target.request(`/sessions/${encodeURIComponent(session)}/ledger`);
  return keptFacts(ledgerFacts.parse(await jsonOf(response)).facts);
}

await work();
process.exit(0);
