import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import { LOCAL_TENANT } from '../api/http/auth.ts';
import { createSessionBody } from '../api/sessions/schemas.ts';
import { SettingsError } from '../config/settings-error.ts';
import { ExportError, isExport } from '../db/session-export.ts';
import { errorMessage } from '../domain/error-message.ts';
import { IN_PLAIN_WORDS } from '../domain/issue-words.ts';
import { readTranscripts, textOf } from '../importers/read-transcripts.ts';
import { type Transcript, TranscriptError } from '../importers/transcript.ts';
import { type ImportedSession, type ImportOptions, importTranscript } from './import-transcript.ts';
import { openTarget, type TargetFlags, urlIn } from './open-target.ts';
import { quantity } from './quantity.ts';
import { restoreExport } from './restore-export.ts';
import { type Target, TargetError } from './target.ts';
import { plainJson, plainText } from './terminal/plain-text.ts';

export type ImportFlags = TargetFlags & {
  profile?: string;
  contextWindow?: number;
  idPrefix?: string;
  json?: boolean;
};

/**
 * Imports transcript files, one session per conversation. A file that cannot be imported is named and
 * the others go on. Answers whether all of them worked.
 */
export async function importCommand(files: string[], flags: ImportFlags): Promise<boolean> {
  let allWorked = true;
  const place = importPlace(flags);
  try {
    for (const file of files) allWorked = (await importFile(place, file, flags)) && allWorked;
  } finally {
    await place.close();
  }
  return allWorked;
}

/** Where sessions go. */
export type ImportPlace = { target: () => Promise<Target>; close: () => Promise<void> };

/**
 * It is opened by the first file that can be read: no store is made for none. Throws SettingsError for what no
 * session of the store can have.
 */
export function importPlace(flags: ImportFlags): ImportPlace {
  if (urlIn(flags) === null) refuseSettings(flags);
  let opened: Promise<Target> | null = null;
  return {
    target: () => {
      opened ??= openTarget(flags, true);
      return opened;
    },
    // One that could not be opened has been told of.
    close: async () => (await opened?.catch(() => null))?.close(),
  };
}

/**
 * Imports the conversations of one file. Says what was wrong with it, and answers whether it worked. Throws
 * SettingsError, and what is wrong with the store.
 */
export async function importFile(
  place: Pick<ImportPlace, 'target'>,
  file: string,
  flags: ImportFlags,
  { on_divergence }: Pick<ImportOptions, 'on_divergence'> = {},
): Promise<boolean> {
  const options: ImportOptions = {
    idPrefix: flags.idPrefix ?? '',
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    ...(flags.contextWindow === undefined ? {} : { contextWindow: flags.contextWindow }),
    ...(on_divergence === undefined ? {} : { on_divergence }),
  };
  const say = (session: ImportedSession, of: Pick<Transcript, 'source' | 'notes'>) =>
    console.log(flags.json ? plainJson(JSON.stringify(session)) : plainText(describe(session, of)));
  const name = basename(file);
  try {
    const text = textOf(name, bytesOf(file));
    if (isExport(text)) {
      say(await restored(await place.target(), text, flags), OF_EXPORT);
      return true;
    }
    const transcripts = readTranscripts(name, text);
    const target = await place.target();
    for (const transcript of transcripts) {
      say(await withProgress(target, transcript, options), transcript);
    }
    return true;
  } catch (error) {
    if (!isExpected(error)) throw error;
    // What is wrong with what is in a file begins with its name, without its folder.
    const said = error.message;
    console.error(
      plainText(
        said.startsWith(`${name} `) ? `${file}${said.slice(name.length)}` : `${file}: ${said}`,
      ),
    );
    return false;
  }
}

function refuseSettings({ profile, contextWindow }: ImportFlags): void {
  const { shape } = createSessionBody;
  for (const [option, schema, value] of [
    ['--profile', shape.profile, profile],
    ['--context-window', shape.context_window, contextWindow],
  ] as const) {
    const issue = schema.safeParse(value, IN_PLAIN_WORDS).error?.issues[0];
    if (issue !== undefined) throw new SettingsError(`${option}: ${issue.message}`);
  }
}

/** What reading throws most often, in words for people. */
const UNREADABLE: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder: name the files in it',
  EACCES: 'this user may not read it',
};

/** Throws TargetError for what is no file that can be read. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new TargetError(UNREADABLE[code] ?? errorMessage(error), { cause: error });
  }
}

const OF_EXPORT = { source: 'palimpsest export' };

/** Throws TargetError where an export cannot go, or would not stay the same session. */
function restored({ local }: Target, text: string, flags: ImportFlags): Promise<ImportedSession> {
  if (local === null) {
    throw new TargetError(
      'this is an export of Palimpsest, which is restored into a store and not through the API: ' +
        'run the import without --url and PALIMPSEST_URL, with DATABASE_URL set to the store of that service',
    );
  }
  if (flags.profile !== undefined || flags.contextWindow !== undefined) {
    throw new TargetError(
      'an export keeps its own profile and context window: import it without --profile and ' +
        '--context-window, and change the session afterwards',
    );
  }
  const { idPrefix = '', tenant = LOCAL_TENANT } = flags;
  return restoreExport(local, text, { idPrefix, tenant });
}

/** Shows a bar while a conversation is imported, on a terminal only. */
async function withProgress(
  target: Target,
  transcript: Transcript,
  options: ImportOptions,
): Promise<ImportedSession> {
  const bar = new SingleBar(
    { format: '{name} [{bar}] {value}/{total} items', clearOnComplete: true, noTTYOutput: false },
    Presets.legacy,
  );
  bar.start(transcript.items.length, 0, { name: plainText(transcript.name) });
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
    error instanceof TargetError ||
    error instanceof ExportError ||
    // Files that are missing or unreadable.
    (error instanceof Error && 'code' in error)
  );
}
