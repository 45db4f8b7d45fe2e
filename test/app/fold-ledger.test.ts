import { afterEach, expect, it } from 'vitest';
import { foldHere, foldLedger } from '../../src/app/fold-ledger.ts';
import { ElsewhereError } from '../../src/app/ports/elsewhere-error.ts';
import { compact } from '../conformance/lab.ts';
import { call, ofTokens, result, user } from '../support/items.ts';
import { SessionLab } from '../support/session-lab.ts';

let lab: SessionLab;
afterEach(() => lab.close());

it('folds from the whole log, page by page, what a compaction has stored', async () => {
  lab = await SessionLab.open('anthropic', {
    context_window: 2_000_000,
    config: { protected_tokens: 0, protected_messages: 0, auto_compact_enabled: false },
  });
  // More than a page of events, calls and results side by side at its end.
  for (let round = 0; round < 130; round++) {
    await lab.append([
      user(`Write page ${round}. ${round % 40 === 0 ? `Never touch file${round}.md.` : ''}`),
      call(`a${round}`, 'Bash', { command: `npm test -- page${round}` }),
      call(`b${round}`, 'Read', { file_path: `/w/page${round % 7}.ts` }),
      result(`a${round}`, 'Exit code 1\nError: no such page', { is_error: true }),
      result(`b${round}`, `     1→export const page${round} = ${round};`),
    ]);
  }
  await lab.append([user(`Go on. ${ofTokens(500)}`)]);
  const completed = (await compact(lab, 'full')).findLast(
    (event) => event.type === 'compaction.completed',
  );
  if (completed?.type !== 'compaction.completed') throw new Error('nothing was compacted');
  const { ledger, through } = completed.data;
  expect(ledger?.requests.length).toBeGreaterThan(100);
  const folded = await foldLedger(lab.store, lab.ref, 'anthropic', through);
  expect({ ...folded, epochs: ledger?.epochs }).toEqual(ledger);
});

it('is left to a thread where a context is large, and done where there are none', async () => {
  lab = await SessionLab.open('anthropic', { context_window: 2_000_000 });
  await lab.append([user(ofTokens(21_000))]);
  const view = await lab.view();
  const largestHere = { events: 10, tokens: 10, bytes: 10, values: 10 };
  expect(() => foldHere({ largestHere }, view)).toThrow(ElsewhereError);
  expect(() => foldHere({}, view)).not.toThrow();
  const small = { ...view, entries: view.entries.slice(1) };
  expect(() => foldHere({ largestHere }, small)).not.toThrow();
});
