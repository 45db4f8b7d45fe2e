import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { tallyLine, tallySince } from '../../../src/cli/wrap/tally.ts';
import { close, listen } from '../../support/listening.ts';

const BEFORE = '2026-01-01T00:00:00Z';
const BEGAN = '2026-01-02T00:00:00Z';
const AFTER = '2026-01-03T00:00:00Z';
type Session = { id: string; created_at: string; calls: number };

/** The line of a run of these sessions, each of which has changed in it. */
async function lineOf(sessions: Session[]): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const asked = sessions.find(({ id }) => url === `/sessions/${id}/cost`);
    const data = sessions.map((session) => ({ ...session, updated_at: AFTER }));
    const cost = asked && { calls: asked.calls, compactions: 1, saved_tokens: 2_000 };
    response.end(JSON.stringify(cost ?? { data }));
  });
  const url = await listen(server);
  const tally = await tallySince({ url, key: null }, new Date(BEGAN));
  await close(server);
  return tally === null ? '' : tallyLine(tally, { pages: 'http://pages', serve: null });
}

test.each<[string, Session[], string]>([
  [
    'one session',
    [{ id: 'a', created_at: AFTER, calls: 1 }],
    '1 turn, 1 compaction, 2,000 tokens saved; look: http://pages/inspect/sessions/a',
  ],
  [
    'a session, and one in which the program asked for a title',
    [
      { id: 'title', created_at: AFTER, calls: 1 },
      { id: 'a', created_at: AFTER, calls: 4 },
    ],
    '5 turns, 2 compactions, 4,000 tokens saved; look: http://pages/inspect/sessions/a',
  ],
  [
    'two sessions',
    [
      { id: 'a', created_at: AFTER, calls: 3 },
      { id: 'b', created_at: AFTER, calls: 2 },
    ],
    '5 turns, 2 compactions, 4,000 tokens saved; look: http://pages/',
  ],
  [
    'a session that an earlier run began',
    [{ id: 'a', created_at: BEFORE, calls: 9 }],
    '9 turns, 1 compaction, 2,000 tokens saved since the session began; look: http://pages/inspect/sessions/a',
  ],
])('the last line of a run of %s', async (_, sessions, line) => {
  expect(await lineOf(sessions)).toBe(`palimpsest: ${line}`);
});
