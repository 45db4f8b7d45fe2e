import { describe, expect, it } from 'vitest';
import { SUMMARIZERS } from '../bench/local-service.ts';
import { checkFile } from '../bench/transcripts/check-file.ts';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../bench/transcripts/data-files.ts';
import { cellsOf, checkCell } from '../bench/transcripts/matrix-cell.ts';
import { matrixLines } from '../bench/transcripts/matrix-table.ts';
import { PROFILES } from '../src/domain/policy/profiles.ts';
import { atScale } from './support/scale.ts';

/** One small recording of each folder; `npm run transcripts` takes all of them. */
const SAMPLE = [
  'claude-code/cc-08.jsonl.gz',
  'codex/cx-06.jsonl.gz',
  'pi/',
  'openai-chat/mini-swe-agent/',
  'openai-chat/tau/',
  'swea-',
  'copilot-cli/',
  'gemini-cli/',
  'beam-100K-14-chat',
];

const isPresent = isDataPresent();
const files = isPresent ? SAMPLE.map(firstOf) : [];

function firstOf(filter: string): string {
  const [first] = dataFiles([filter]).filter((path) => !path.includes('probing'));
  if (first === undefined) throw new Error(`no recording matches ${filter}`);
  return first;
}

describe('the recorded transcripts', () => {
  it(isPresent ? 'are there' : 'ARE ABSENT: no recording is checked', () => {
    if (!isPresent) console.warn(`No recorded transcripts at ${DATA_FOLDER}.`);
    expect(files.length > 0).toBe(isPresent);
  });
});

describe.runIf(isPresent)('recorded transcripts through the service', () => {
  describe.each(SUMMARIZERS)('summaries: %s', (summarizer) => {
    // In brief each recording has one of them.
    const every = atScale({ brief: SUMMARIZERS.length, short: 1, long: 1 });
    const its = files.filter((_, index) => (index + SUMMARIZERS.indexOf(summarizer)) % every === 0);
    it.each(its)('%s', async (file) => {
      const check = await checkFile(file, { summarizer });
      if (check.kind !== 'checked') throw new Error(check.message);
      expect(check).toMatchObject({ problems: [], lost_items: 0, verify: 'ok' });
      expect(check.items).toBeGreaterThan(0);
    });
  });

  // In brief two of them: the golden conversations go through all.
  const every = atScale({ brief: 3, short: 1, long: 1 });
  it.each(PROFILES.filter((_, index) => index % every === 0))(
    'with profile %s, also between compactions',
    async (profile) => {
      const cells = cellsOf([firstOf('codex/cx-06')]).filter(
        (cell) => cell.profile === profile && cell.summarizer === 'extractive',
      );
      const [smallest] = cells;
      if (smallest === undefined) throw new Error(`${profile} has room in no window`);
      const result = await checkCell(smallest);
      expect(result).toMatchObject({ kind: 'checked', problems: [] });
      expect(result.kind === 'checked' && result.compactions).toBeGreaterThan(0);
    },
  );

  it('tries no window that the service refuses, and says why', () => {
    const refused = { profile: 'claude-code', window: 32_000 } as const;
    expect(cellsOf(['any']).filter((cell) => cell.profile === refused.profile)).not.toContainEqual(
      expect.objectContaining(refused),
    );
    expect(matrixLines([], 1).join('\n')).toMatch(/refused, claude-code: .* leaves no room for/);
  });

  it('names question files as no transcripts', async () => {
    const [questions = ''] = dataFiles(['probing']);
    const check = await checkFile(questions, { summarizer: 'extractive' });
    expect(check).toMatchObject({ kind: 'no_transcript', file: questions });
  });
});
