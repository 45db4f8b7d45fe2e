import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadView } from '../../src/app/load-view.ts';
import { trace } from '../../src/app/recall/trace.ts';
import { restoreExport } from '../../src/cli/restore-export.ts';
import { exportParts } from '../../src/db/export-parts.ts';
import { sumTokens } from '../../src/domain/context/view.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { assistant, call, ofTokens, result, text, tool, user } from '../support/items.ts';
import { TINY } from '../support/session-lab.ts';
import { refOf, SyncLab } from '../support/sync-lab.ts';

let lab: SyncLab;
beforeEach(async () => {
  lab = await SyncLab.open();
});
afterEach(() => lab.close());

const shown = (context: { item: Item }[]) => context.map(({ item }) => item);

/** A conversation with calls; each turn has four items. */
const talk = (turns: number): Item[] =>
  Array.from({ length: turns }, (_, turn) => [
    user(`Question ${turn}`),
    assistant([
      text(`Let me look, ${turn}.`),
      { type: 'tool_use', id: `t${turn}`, name: 'Bash', input: { command: `make ${turn}` } },
    ]),
    result(`t${turn}`, `made ${turn}`),
    assistant(`Answer ${turn}`),
  ]).flat();

/** What a client sends that keeps the first items, and the turns that began last. */
function windowOf(history: readonly Item[], first: number, turns: number): readonly Item[] {
  const begun = Math.floor((history.length - 1) / 4);
  const from = Math.max(first, 4 * (begun - turns + 1));
  return [...history.slice(0, first), ...history.slice(from)];
}

/** Where a client asks: after each message of its own, and at the end. */
const endsIn = (items: readonly Item[]) => [
  ...items.flatMap(({ role }, at) => (role === 'user' ? [at + 1] : [])),
  items.length,
];

/** What is said, however it is put into messages. */
const saidIn = (items: readonly Item[]) =>
  items.flatMap(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );

describe('a client that keeps a window over its history', () => {
  it.each([
    { what: 'the newest turns', first: 0, turns: 2 },
    { what: 'the first message and the newest turns', first: 1, turns: 2 },
    { what: 'the first turn and the newest ones', first: 4, turns: 3 },
  ])('$what: goes on in its session, whose log has each item once', async ({ first, turns }) => {
    const all = talk(10);
    let isShorter = false;
    for (const end of endsIn(all)) {
      const sent = windowOf(all.slice(0, end), first, turns);
      isShorter ||= sent.length < end;
      const synced = await lab.sync('s', sent);
      expect(synced).toMatchObject({ session_id: 's', divergence: null });
      expect(saidIn(shown(synced.context))).toEqual(saidIn(sent));
      // Asked again.
      expect(await lab.sync('s', sent)).toMatchObject({
        appended: 0,
        is_compacted_by_client: false,
        version: synced.version,
        hash: synced.hash,
      });
    }
    expect(isShorter).toBe(true);
    expect(await lab.items('s')).toEqual(all);
    const tokens = (await lab.store.head(refOf('s')))?.state.tokens ?? 0;
    await lab.sync('whole', all);
    const whole = (await lab.store.head(refOf('whole')))?.state.tokens ?? 0;
    expect(tokens).toBe(sumTokens((await loadView(lab.store, refOf('s')))?.entries ?? []));
    expect(tokens).toBeLessThan(whole / 2);
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it('tells of each item whether it still is in the context', async () => {
    const all = talk(6);
    for (const end of endsIn(all)) await lab.sync('s', windowOf(all.slice(0, end), 4, 2));
    const events = await lab.store.events(refOf('s'), { types: ['item.appended'] });
    const states: string[] = [];
    for (const { version } of events) {
      const traced = await trace({ store: lab.store }, refOf('s'), { seq: version });
      if (!traced.ok) throw new Error(traced.rejection.detail);
      states.push(traced.value.state);
      const last = traced.value.history.at(-1);
      expect(last?.what).toBe(traced.value.state === 'in_context' ? 'appended' : 'superseded');
    }
    const there = (count: number) => Array<string>(count).fill('in_context');
    expect(states).toEqual([...there(4), ...Array<string>(12).fill('superseded'), ...there(8)]);
  });

  it('comes back as the same log from an export, and forks like any other', async () => {
    const all = talk(6);
    for (const end of endsIn(all)) await lab.sync('s', windowOf(all.slice(0, end), 0, 2));
    const rows = await lab.store.rows(refOf('s'), { after: 0, limit: 100 });
    expect(rows.map(({ type }) => type)).toContain('compaction.observed');
    let exported = '';
    for await (const part of exportParts(lab.store, refOf('s'), rows.length)) exported += part.text;
    const other = await SyncLab.open();
    const into = { store: other.store, server: {} };
    await restoreExport(into, exported, { idPrefix: '', tenant: 'local' });
    expect(await other.store.rows(refOf('s'), { after: 0, limit: 100 })).toEqual(rows);
    await other.close();
    const edited = [...windowOf(all, 0, 2).slice(0, 4), user('Another question')];
    const forked = await lab.sync('s', edited);
    expect(forked.divergence).not.toBeNull();
    const goesOn = [...edited, assistant('Another answer'), user('And?')];
    expect(await lab.sync('s', goesOn)).toMatchObject({
      session_id: forked.session_id,
      appended: 2,
    });
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it('may do so over calls that the model makes without a word', async () => {
    const rounds = Array.from({ length: 8 }, (_, at) => [
      call(`t${at}`, 'Bash', { command: `make ${at}` }),
      result(`t${at}`, `made ${at}`),
    ]);
    const opening = [user('Make all of it.')];
    for (let made = 1; made <= rounds.length; made++) {
      const sent = [...opening, ...rounds.slice(Math.max(0, made - 3), made).flat()];
      const synced = await lab.sync('s', sent);
      expect(synced.divergence).toBeNull();
      expect(saidIn(shown(synced.context))).toEqual(saidIn(sent));
    }
    expect(await lab.items('s')).toEqual([...opening, ...rounds.flat()]);
  });

  it('is not known by words of the user alone', async () => {
    await lab.sync('s', [user('One'), assistant('Two'), user('Go on')]);
    const other = await lab.sync('s', [user('Go on'), user('And?')]);
    expect(other.divergence).not.toBeNull();
  });

  it('may tell its first item in another shape', async () => {
    const all = talk(6);
    for (const end of endsIn(all)) await lab.sync('s', windowOf(all.slice(0, end), 0, 2));
    const [, ...others] = windowOf(all, 0, 2);
    const told = [user('Question 4\n'), ...others, user('Thanks.')];
    expect(await lab.sync('s', told)).toMatchObject({
      appended: 1,
      superseded: [],
      is_compacted_by_client: false,
      divergence: null,
    });
  });

  it('keeps what the model has thought at its beginning', async () => {
    const turn = (at: number): Item[] => [
      { role: 'user', content: `Question ${at}` },
      { type: 'reasoning', id: `rs_${at}`, summary: [], encrypted_content: `sealed ${at}` },
      { type: 'function_call', call_id: `c${at}`, name: 'run', arguments: `{"at":${at}}` },
      { type: 'function_call_output', call_id: `c${at}`, output: `ran ${at}` },
      { role: 'assistant', content: `Answer ${at}` },
    ];
    const all = [0, 1, 2, 3].flatMap(turn);
    await lab.sync('s', all.slice(0, 15), { format: 'openai-responses' });
    const synced = await lab.sync('s', all.slice(6, 16));
    expect(synced).toMatchObject({ is_compacted_by_client: true, divergence: null, appended: 1 });
    expect(shown(synced.context)).toContainEqual(all[6]);
    expect(shown(synced.context)).not.toContainEqual(all[5]);
  });

  it('takes back an answer that it tells in another shape', async () => {
    const all = talk(4);
    await lab.sync('s', all);
    const told = [...all.slice(4, -1), assistant('Answer 3, said otherwise'), user('Thanks.')];
    const synced = await lab.sync('s', told);
    expect(synced).toMatchObject({ is_compacted_by_client: true, divergence: null, appended: 2 });
    expect(synced.superseded).toHaveLength(1);
    expect(shown(synced.context)).toEqual(told);
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it('gets the context of a compaction of ours, where one is in force', async () => {
    await lab.create('s', 'anthropic', TINY);
    const history: Item[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const words = ofTokens(40);
      history.push(
        user(`Question ${turn} ${words}`),
        ...tool(`t${turn}`, 'Bash', 100),
        assistant(`Answer ${turn} ${words}`),
      );
      const synced = await lab.sync('s', turn < 8 ? history : windowOf(history, 0, 5));
      expect(synced).toMatchObject({ appended: 4, superseded: [], divergence: null });
      expect(synced.is_compacted_by_client).toBe(false);
      await lab.work();
    }
    expect(await lab.items('s')).toEqual(history);
    expect((await lab.store.head(refOf('s')))?.state.base?.compaction_id).toEqual(
      expect.any(String),
    );
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it.each([
    ['another first message', (all: Item[]) => [user('Another question'), ...all.slice(1)]],
    ['words in between', (all: Item[]) => [...all.slice(0, 4), user('No.'), ...all.slice(8)]],
    ['nothing that the model has said', (all: Item[]) => [all[8] ?? user('x'), user('And?')]],
    ['an end that the log goes on from', (all: Item[]) => all.slice(4, 8)],
    ['so little that it may be a question beside', (all: Item[]) => [...all.slice(-4), user('?')]],
    ['two stretches left out', (all: Item[]) => [...all.slice(4, 6), ...all.slice(8)]],
  ])('%s make another past', async (_, made) => {
    const all = talk(4);
    await lab.sync('s', all);
    expect((await lab.sync('s', made(all))).divergence).not.toBeNull();
  });
});
