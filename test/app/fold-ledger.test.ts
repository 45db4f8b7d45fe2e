import { afterEach, expect, it } from 'vitest';
import { foldHere, foldLedger } from '../../src/app/fold-ledger.ts';
import { fork } from '../../src/app/fork.ts';
import { ArchiveError } from '../../src/app/ports/archive.ts';
import { ElsewhereError } from '../../src/app/ports/elsewhere-error.ts';
import type { EventStore } from '../../src/app/ports/event-store.ts';
import type { Ledger } from '../../src/domain/ledger/ledger.ts';
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

/** As a store of another release would be read: no ledger of it is known. */
function withoutLedgers(store: EventStore): EventStore {
  const events: EventStore['events'] = async (...asked) =>
    (await store.events(...asked)).map((event) => {
      if (event.type !== 'compaction.completed' && event.type !== 'session.forked') return event;
      const { ledger: _, ...data } = event.data;
      return { ...event, data } as typeof event;
    });
  return Object.assign(Object.create(store), { events, head: store.head.bind(store) });
}

/** The same, where the archive has lost the file of a session. */
function withoutFile(session_id: string, store: EventStore): EventStore {
  const others = withoutLedgers(store);
  const events: EventStore['events'] = (ref, query) =>
    ref.session_id === session_id
      ? Promise.reject(new ArchiveError('missing', null, ref))
      : others.events(ref, query);
  return Object.assign(Object.create(others), { events, head: others.head });
}

it('begins in a fork of a fork with what their parents knew when they were forked', async () => {
  lab = await SessionLab.open('anthropic', {
    context_window: 20_000,
    config: { protected_tokens: 0, protected_messages: 0, auto_compact_enabled: false },
  });
  const ports = { store: lab.store, world: lab.world, clock: { now: lab.now }, newId: lab.newId };
  const rules = ['lab', 'one', 'two'].map((id) => `Never touch the folder ${id}.`);
  let ledger: Ledger | undefined;
  for (const [n, id] of ['one', 'two', 'three'].entries()) {
    await lab.append([user(`Go on. ${rules[n]}`), user(ofTokens(900)), user('And then?')]);
    const completed = (await compact(lab, 'full')).findLast(
      (event) => event.type === 'compaction.completed',
    );
    ledger = completed?.data.ledger;
    const outcome = await fork(ports, lab.ref, { id });
    expect(outcome.ok).toBe(true);
    // The fork knows nothing of this.
    await lab.append([user('Always write the year in Roman numbers.')]);
    await compact(lab, 'full');
    lab.ref = { ...lab.ref, session_id: id };
  }
  const folded = await foldLedger(withoutLedgers(lab.store), lab.ref, 'anthropic', 2);
  expect(folded.constraints.map(({ text, of }) => `${of}: ${text}`)).toEqual([
    `lab: ${rules[0]}`,
    `one: ${rules[1]}`,
    `two: ${rules[2]}`,
  ]);
  expect(folded.constraints.map(({ text }) => text)).toEqual(
    ledger?.constraints.map(({ text }) => text),
  );
  const without = await foldLedger(withoutFile('one', lab.store), lab.ref, 'anthropic', 2);
  expect(without.constraints.map(({ text }) => text)).toEqual([rules[2]]);
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
