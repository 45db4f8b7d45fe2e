import { z } from 'zod';
import {
  PROFILES,
  type Profile,
  resolveConfig,
  windowProblem,
} from '../../src/domain/policy/profiles.ts';
import { SUMMARIZERS } from '../local-service.ts';
import { checkFile } from './check-file.ts';

export const WINDOWS = [16_000, 32_000, 100_000, 200_000] as const;
/** Small enough for several summaries, large enough that no profile refuses it. */
const MODEL_WINDOW = 100_000;
/** More versions of each log than those where compactions begin and end. */
const PREFIXES = 6;

/** One file with one profile at one window. */
export const cellSchema = z.object({
  file: z.string(),
  profile: z.enum(PROFILES),
  window: z.number(),
  summarizer: z.enum(SUMMARIZERS),
});
export type Cell = z.infer<typeof cellSchema>;

export const cellResultSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('checked'),
    cell: cellSchema,
    contexts: z.number(),
    compactions: z.number(),
    problems: z.array(z.string()),
  }),
  z.object({ kind: z.literal('no_transcript'), cell: cellSchema, message: z.string() }),
]);
export type CellResult = z.infer<typeof cellResultSchema>;

/** Every cell of the files that the service does not refuse; summaries of a model at one window. */
export function cellsOf(files: readonly string[]): Cell[] {
  const pairs = PROFILES.flatMap((profile) =>
    WINDOWS.filter((window) => refusal(profile, window) === null).flatMap((window) => [
      { profile, window, summarizer: 'extractive' as const },
      ...(window === MODEL_WINDOW ? [{ profile, window, summarizer: 'model' as const }] : []),
    ]),
  );
  return files.flatMap((file) => pairs.map((pair) => ({ file, ...pair })));
}

/** Why the service creates no session with this profile and window, or null. */
export function refusal(profile: Profile, window: number): string | null {
  const settings = { profile, context_window: window, server: {}, session: {} };
  return windowProblem(resolveConfig(settings), window);
}

/** Imports the file as the cell says and checks contexts from its first to its last version. */
export async function checkCell(cell: Cell): Promise<CellResult> {
  const { file, profile, window, summarizer } = cell;
  const check = await checkFile(file, {
    summarizer,
    window,
    profile,
    prefixes: PREFIXES,
    isCompactedAtEnd: true,
    variables: variablesOf(profile, window),
  });
  if (check.kind === 'no_transcript')
    return { kind: 'no_transcript', cell, message: check.message };
  const { contexts, micro, full, problems } = check;
  return { kind: 'checked', cell, contexts, compactions: micro + full, problems };
}

/** What a profile needs beside its defaults when nobody answers for the agent that it was made for. */
function variablesOf(profile: Profile, window: number): Record<string, string> {
  switch (profile) {
    case 'codex-classic':
      // Without a limit it compacts on request only; Codex takes nine tenths of the window.
      return { PALIMPSEST_AUTO_COMPACT_TOKEN_LIMIT: String(Math.floor(window * 0.9)) };
    case 'rawr':
      // No agent is there to write the packet.
      return { PALIMPSEST_PACKET_TIMEOUT_SECONDS: '0.05' };
    case 'default':
    case 'claude-code':
    case 'codex-v2':
    case 'tiered':
      return {};
    default:
      return profile satisfies never;
  }
}
