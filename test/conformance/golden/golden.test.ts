import { describe, expect, it } from 'vitest';
import type { NewSession } from '../../../src/domain/session/create-session.ts';
import { STEPS } from './script.ts';
import { type Walk, walk } from './walk.ts';

/** One column each: the profile as it is, and codex-classic with the limit that switches it on. */
const COLUMNS: Record<string, Partial<NewSession>> = {
  'claude-code': { profile: 'claude-code' },
  'codex-v2': { profile: 'codex-v2' },
  rawr: { profile: 'rawr' },
  tiered: { profile: 'tiered' },
  'codex-classic': { profile: 'codex-classic', config: { auto_compact_token_limit: 150_000 } },
};

const walks = new Map<string, Walk>();

describe('the golden conversation', () => {
  it.each(Object.keys(COLUMNS))('through %s', async (name) => {
    const walked = await walk(COLUMNS[name] ?? {});
    walks.set(name, walked);
    await expect(walked.contexts).toMatchFileSnapshot(`snapshots/${name}.txt`);
  });

  it('step by step, all profiles side by side', async () => {
    const lines = STEPS.map(({ label }, index) => {
      const cells = [...walks].map(([name, { steps }]) => {
        const step = steps[index];
        return `  ${name.padEnd(14)} ${String(step?.tokens).padStart(7)}  ${step?.happened.join('; ')}`;
      });
      return `${label}\n${cells.map((cell) => cell.trimEnd()).join('\n')}`;
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/step-by-step.txt');
  });

  it('codex-classic without a limit never compacts by itself', async () => {
    const { steps } = await walk({ profile: 'codex-classic' });
    const compacting = steps.filter(({ happened }) =>
      happened.some((what) => what.startsWith('summarised')),
    );
    expect(compacting.map(({ label }) => label)).toEqual(['MC']);
  });
});
