import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TargetError } from '../../src/cli/target.ts';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { type Transcript, TranscriptError } from '../../src/importers/transcript.ts';
import { type SummarizerKind, withLocalService } from '../local-service.ts';
import { checkSession, type SessionCheck, type SessionChoices } from './check-session.ts';
import { DATA_FOLDER } from './data-files.ts';

export type FileCheck = {
  kind: 'checked';
  file: string;
  summarizer: SummarizerKind;
  sessions: number;
  /** Sums over the file's sessions. */
  items: number;
  contexts: number;
  micro: number;
  full: number;
  skipped: number;
  exceeded: number;
  tokens_before: number;
  tokens_after: number;
  lost_items: number;
  broken_rules: string[];
  verify: 'ok' | 'differs';
  milliseconds: number;
  /** Whatever is wrong, in sentences; empty for a good row. */
  problems: string[];
};
/** A file that holds no conversation; the message says what it holds. */
type NoTranscript = { kind: 'no_transcript'; file: string; message: string };

/**
 * Imports every conversation of a recorded file (path relative to the data folder) into a fresh store
 * and checks what came of it. `variables` are settings of the service. Throws TranscriptError for a
 * file in an unknown format.
 */
export async function checkFile(
  file: string,
  options: SessionChoices & {
    summarizer: SummarizerKind;
    variables?: Record<string, string>;
    onProgress?: (done: number, total: number) => void;
  },
): Promise<FileCheck | NoTranscript> {
  const transcripts = conversationsOf(file);
  if (!Array.isArray(transcripts)) return transcripts;
  const started = performance.now();
  const total = transcripts.reduce((sum, { items }) => sum + items.length, 0);
  let done = 0;
  const onProgress = (items: number) => {
    done += items;
    options.onProgress?.(done, total);
  };
  const { checks, verify } = await withLocalService(
    {
      summarizer: options.summarizer,
      synchronous: 'NORMAL',
      variables: options.variables ?? {},
    },
    async (service) => {
      const checks: SessionCheck[] = [];
      for (const transcript of transcripts) {
        const check = await refusedIsAProblem(() =>
          checkSession(service, transcript, options, onProgress),
        );
        checks.push(withName(transcript, check, transcripts.length > 1));
      }
      return { checks, verify: await service.store.verify() };
    },
  );
  return {
    kind: 'checked',
    file,
    summarizer: options.summarizer,
    sessions: checks.length,
    ...sums(checks),
    broken_rules: [...new Set(checks.flatMap((check) => check.broken_rules))],
    verify: verify.problems.length === 0 ? 'ok' : 'differs',
    milliseconds: Math.round(performance.now() - started),
    problems: [
      ...checks.flatMap((check) => [...check.broken_rules, ...check.problems]),
      ...verify.problems,
    ],
  };
}

function conversationsOf(file: string): Transcript[] | NoTranscript {
  try {
    return readTranscripts(basename(file), readFileSync(join(DATA_FOLDER, file)));
  } catch (error) {
    if (!(error instanceof TranscriptError) || error.code !== 'not_a_transcript') throw error;
    return { kind: 'no_transcript', file, message: error.message };
  }
}

/** A refusal of the API is a wrong row like any other, so that the other files go on. */
async function refusedIsAProblem(check: () => Promise<SessionCheck>): Promise<SessionCheck> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    return { ...NOTHING, broken_rules: [], problems: [`the API refused: ${error.message}`] };
  }
}

const NOTHING = {
  items: 0,
  contexts: 0,
  micro: 0,
  full: 0,
  skipped: 0,
  exceeded: 0,
  tokens_before: 0,
  tokens_after: 0,
  lost_items: 0,
};

function sums(checks: readonly SessionCheck[]): typeof NOTHING {
  const total = { ...NOTHING };
  for (const check of checks) {
    total.items += check.items;
    total.contexts += check.contexts;
    total.micro += check.micro;
    total.full += check.full;
    total.skipped += check.skipped;
    total.exceeded += check.exceeded;
    total.tokens_before += check.tokens_before;
    total.tokens_after += check.tokens_after;
    total.lost_items += check.lost_items;
  }
  return total;
}

function withName({ name }: Transcript, check: SessionCheck, isOneOfMany: boolean): SessionCheck {
  if (!isOneOfMany) return check;
  return { ...check, problems: check.problems.map((problem) => `${name}: ${problem}`) };
}
