import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import { LOCAL_TENANT } from '../api/http/auth.ts';
import { SettingsError } from '../config/settings-error.ts';
import { ExportError, isExport } from '../db/session-export.ts';
import { readTranscripts, textOf } from '../importers/read-transcripts.ts';
import { type Transcript, TranscriptError } from '../importers/transcript.ts';
import { ImportError, type ImportTarget, localTarget, remoteTarget } from './import-target.ts';
import { type ImportedSession, type ImportOptions, importTranscript } from './import-transcript.ts';
import { quantity } from './quantity.ts';
import { restoreExport } from './restore-export.ts';

export type ImportFlags = {
  url?: string;
  profile?: string;
  contextWindow?: number;
  idPrefix?: string;
  tenant?: string;
  json?: boolean;
};

/**
 * Imports transcript files, one session per conversation. A file that cannot be imported is named and
 * the others go on. Answers whether all of them worked.
 */
export async function importCommand(files: string[], flags: ImportFlags): Promise<boolean> {
  const { target, options } = await openTarget(flags);
  let allWorked = true;
  try {
    for (const file of files)
      allWorked = (await importFile(target, file, flags, options)) && allWorked;
  } finally {
    await target.close();
  }
  return allWorked;
}

/** Where the sessions go, and how they are made. Throws SettingsError, ImportError. */
export async function openTarget(
  flags: ImportFlags,
): Promise<{ target: ImportTarget; options: ImportOptions }> {
  const options: ImportOptions = {
    idPrefix: flags.idPrefix ?? '',
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    ...(flags.contextWindow === undefined ? {} : { contextWindow: flags.contextWindow }),
  };
  const { url, tenant = LOCAL_TENANT } = flags;
  if (url !== undefined && flags.tenant !== undefined) {
    throw new SettingsError(
      'with --url the key in PALIMPSEST_API_KEY says whose the sessions are: leave --tenant out',
    );
  }
  const target = url === undefined ? await localTarget(tenant) : remoteTarget(url);
  return { target, options };
}

/** Imports the conversations of one file. Says what was wrong with it, and answers whether it worked. */
export async function importFile(
  target: ImportTarget,
  file: string,
  flags: ImportFlags,
  options: ImportOptions,
): Promise<boolean> {
  const say = (session: ImportedSession, of: Pick<Transcript, 'source' | 'notes'>) =>
    console.log(flags.json ? JSON.stringify(session) : describe(session, of));
  try {
    const name = basename(file);
    const text = textOf(name, readFileSync(file));
    if (isExport(text)) {
      say(await restored(target, text, flags), OF_EXPORT);
      return true;
    }
    for (const transcript of readTranscripts(name, text)) {
      say(await withProgress(target, transcript, options), transcript);
    }
    return true;
  } catch (error) {
    if (!isExpected(error)) throw error;
    console.error(`${file}: ${error.message}`);
    return false;
  }
}

const OF_EXPORT = { source: 'palimpsest export' };

/** Throws ImportError where an export cannot go, or would not stay the same session. */
function restored(
  { local }: ImportTarget,
  text: string,
  flags: ImportFlags,
): Promise<ImportedSession> {
  if (local === null) {
    throw new ImportError(
      'this is an export of Palimpsest, which is restored into a store and not through the API: ' +
        'run the import without --url, with DATABASE_URL set to the store of that service',
    );
  }
  if (flags.profile !== undefined || flags.contextWindow !== undefined) {
    throw new ImportError(
      'an export keeps its own profile and context window: import it without --profile and ' +
        '--context-window, and change the session afterwards',
    );
  }
  const { idPrefix = '', tenant = LOCAL_TENANT } = flags;
  return restoreExport(local, text, { idPrefix, tenant });
}

/** Shows a bar while a conversation is imported, on a terminal only. */
async function withProgress(
  target: ImportTarget,
  transcript: Transcript,
  options: ImportOptions,
): Promise<ImportedSession> {
  const bar = new SingleBar(
    { format: '{name} [{bar}] {value}/{total} items', clearOnComplete: true, noTTYOutput: false },
    Presets.legacy,
  );
  bar.start(transcript.items.length, 0, { name: transcript.name });
  try {
    return await importTranscript(target, transcript, options, (items) => bar.increment(items));
  } finally {
    bar.stop();
  }
}

function describe(
  session: ImportedSession,
  transcript: Pick<Transcript, 'source' | 'notes'>,
): string {
  const skipped = Object.entries(session.skipped).map(([kind, count]) => `${kind} ${count}`);
  const { micro, full } = session.compactions;
  return [
    `${session.id}: ${quantity(session.items, 'item')}${grownBy(session)} (${transcript.source} as ${session.format}), ` +
      `${quantity(session.tokens, 'token')} in context, ${micro} micro and ${quantity(full, 'full compaction')}`,
    ...(skipped.length === 0 ? [] : [`  not imported: ${skipped.join(', ')}`]),
    ...(transcript.notes ?? []).map((note) => `  ${note}`),
  ].join('\n');
}

function grownBy({ appended }: ImportedSession): string {
  return appended === undefined ? '' : `, ${appended} of them new`;
}

function isExpected(error: unknown): error is Error {
  return (
    error instanceof TranscriptError ||
    error instanceof ImportError ||
    error instanceof ExportError ||
    // Files that are missing or unreadable.
    (error instanceof Error && 'code' in error)
  );
}
