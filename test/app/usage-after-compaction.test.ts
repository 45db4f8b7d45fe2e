import { afterEach, expect, it } from 'vitest';
import { assistant, ofTokens, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';

let lab: SessionLab;
afterEach(() => lab.close());

const reported = (input_tokens: number) => assistant('Done.', { usage: { input_tokens } });

/** What the log, the head and the context say of the size of a session that was compacted. */
async function compacted(first: number | null): Promise<void> {
  lab = await SessionLab.open('anthropic');
  const answer = first === null ? assistant('Done.') : reported(first);
  await lab.append([user(ofTokens(200)), answer, user(ofTokens(200)), assistant('Then.')]);
  // What was reported lies before the cut: the context is read without it.
  const asked = await lab.request('full');
  if (!asked.ok) throw new Error(asked.rejection.detail);
  await lab.work(asked.value.id);
}

it.each([
  { before: 3_000, later: 2_100, what: 'takes', usage: 2_100 },
  { before: 3_000, later: 3_000, what: 'passes over', usage: null },
  { before: null, later: 500, what: 'passes over', usage: null },
])(
  'head and context say the same: $before reported before the compaction, $what $later after it',
  async ({ before, later, usage }) => {
    await compacted(before);
    expect((await lab.view()).base).not.toBeNull();
    await lab.append([reported(later)]);
    expect((await lab.head()).state.usage).toBe(usage);
    expect((await lab.view()).usage.usage).toBe(usage);
  },
);
