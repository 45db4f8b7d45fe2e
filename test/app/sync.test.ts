import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ElsewhereError } from '../../src/app/ports/elsewhere-error.ts';
import { sync } from '../../src/app/sync.ts';
import { restoreExport } from '../../src/cli/restore-export.ts';
import { exportParts } from '../../src/db/export-parts.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { assistant, call, ofTokens, result, text, thinking, tool, user } from '../support/items.ts';
import { TINY } from '../support/session-lab.ts';
import { refOf, SyncLab } from '../support/sync-lab.ts';

let lab: SyncLab;
beforeEach(async () => {
  lab = await SyncLab.open();
});
afterEach(() => lab.close());

const reminder = (words: string) => text(`<system-reminder>\n${words}\n</system-reminder>`);
const shown = (context: { item: Item }[]) => context.map(({ item }) => item);

const TALK: Item[] = [
  user('Why does the build fail?'),
  assistant([
    text('Let me look.'),
    { type: 'tool_use', id: 't1', name: 'Bash', input: { a: 1, b: 2 } },
  ]),
  result('t1', 'error: no such file'),
  assistant('A file is missing.'),
];

describe('sync', () => {
  it('appends what is new, turn by turn, and answers the context', async () => {
    expect(await lab.sync('s', TALK.slice(0, 1))).toMatchObject({ matched: 0, appended: 1 });
    expect(await lab.sync('s', TALK.slice(0, 3))).toMatchObject({ matched: 1, appended: 2 });
    const last = await lab.sync('s', TALK);
    expect(last).toMatchObject({ matched: 3, appended: 1, superseded: [], divergence: null });
    expect(last.context).toEqual(
      TALK.map((item, index) => ({ seq: index + 2, origin: 'log', edited: false, item })),
    );
    const again = await lab.sync('s', TALK);
    expect(again).toMatchObject({
      matched: 4,
      appended: 0,
      version: last.version,
      hash: last.hash,
    });
    expect(await lab.items('s')).toEqual(TALK);
  });

  const told: [string, Item[]][] = [
    [
      'cache marks',
      [user([{ ...text('Why does the build fail?'), cache_control: { type: 'ephemeral' } }])],
    ],
    ['a list for a string', [user([text('Why does the build fail?')])]],
    ['white space at the ends', [user('Why does the build fail?\n')]],
    ['our own fields', [user('Why does the build fail?', { timestamp: '2026-01-01T00:00:00Z' })]],
    [
      'the order of keys, and ids of messages',
      [
        ...TALK.slice(0, 1),
        assistant(
          [
            text('Let me look.'),
            { name: 'Bash', input: { b: 2, a: 1 }, type: 'tool_use', id: 't1' },
          ],
          { id: 'msg_1' },
        ),
      ],
    ],
    [
      'messages in pieces',
      [...TALK.slice(0, 1), assistant([text('Let me look.')]), call('t1', 'Bash', { a: 1, b: 2 })],
    ],
    [
      'thinking that came and went',
      [
        ...TALK.slice(0, 1),
        assistant([
          thinking('Hm.'),
          text('Let me look.'),
          { type: 'tool_use', id: 't1', name: 'Bash', input: { a: 1, b: 2 } },
        ]),
      ],
    ],
    ['a result that the client has shortened', [...TALK.slice(0, 2), result('t1', '[cleared]')]],
    [
      'reminders that were put before and behind',
      [
        user([
          reminder('# claudeMd'),
          text('Why does the build fail?'),
          reminder('The date is Monday.'),
        ]),
      ],
    ],
  ];
  it.each(told)('knows an item in spite of %s', async (_, items) => {
    await lab.sync('s', TALK);
    const rest = TALK.slice(
      items.filter(({ role }) => role === 'user').length === 1 && items.length === 1
        ? 1
        : items.length,
    );
    const isInPieces = items.length === 3 && items[2]?.role === 'assistant';
    const history = [...items, ...(isInPieces ? TALK.slice(2) : rest), user('And now?')];
    const synced = await lab.sync('s', history);
    expect(synced).toMatchObject({ appended: 1, superseded: [], divergence: null });
    expect(await lab.items('s')).toEqual([...TALK, user('And now?')]);
    // And from the place that was remembered.
    const next = await lab.sync('s', [...history, assistant('Now it works.')]);
    expect(next).toMatchObject({ appended: 1, superseded: [], divergence: null });
    expect(await lab.items('s')).toEqual([...TALK, user('And now?'), assistant('Now it works.')]);
  });

  it('matches environments by their kind', async () => {
    const environment = (day: string): Item => ({
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: `<environment_context>\n${day}\n</environment_context>` },
      ],
    });
    const ask: Item = { role: 'user', content: 'Go.' };
    await lab.sync('s', [environment('Monday'), ask], { format: 'openai-responses' });
    const synced = await lab.sync('s', [
      environment('Tuesday'),
      ask,
      { role: 'user', content: 'On.' },
    ]);
    expect(synced).toMatchObject({ matched: 2, appended: 1, divergence: null });
    expect(await lab.items('s')).toHaveLength(3);
  });

  it('takes back an answer that was asked for again, or came in another shape', async () => {
    const [ask] = TALK;
    await lab.sync('s', [user('Hello'), assistant('I was cut o')]);
    const cut = await lab.sync('s', [
      user('Hello'),
      assistant('I was cut off.'),
      ...(ask ? [ask] : []),
    ]);
    expect(cut).toMatchObject({ matched: 1, appended: 2, superseded: [3], divergence: null });
    const retried = await lab.sync('s', [user('Hello'), assistant('I was cut off.'), ...TALK]);
    expect(retried).toMatchObject({ matched: 3, appended: 3, superseded: [] });
    const without = await lab.sync('s', [
      user('Hello'),
      assistant('I was cut off.'),
      ...TALK.slice(0, 3),
    ]);
    expect(without).toMatchObject({ matched: 5, appended: 0, superseded: [9] });
    expect(shown(without.context)).toEqual([
      user('Hello'),
      assistant('I was cut off.'),
      ...TALK.slice(0, 3),
    ]);
    const again = await lab.sync('s', [
      user('Hello'),
      assistant('I was cut off.'),
      ...TALK.slice(0, 3),
      assistant('Another answer.'),
    ]);
    expect(again).toMatchObject({ matched: 5, appended: 1, superseded: [] });
    const head = await lab.store.head(refOf('s'));
    const view = again.context.length;
    expect(view).toBe(6);
    expect(head?.state.items).toBe(8);
  });

  it('takes a last message anew that has grown', async () => {
    await lab.sync('s', TALK.slice(0, 3));
    const grown = user([
      { type: 'tool_result', tool_use_id: 't1', content: 'error: no such file' },
      text('Summarise.'),
    ]);
    const synced = await lab.sync('s', [...TALK.slice(0, 2), grown]);
    expect(synced).toMatchObject({ matched: 2, appended: 1, superseded: [4], divergence: null });
    expect(shown(synced.context)).toEqual([...TALK.slice(0, 2), grown]);
  });

  it('counts no token twice after it took something back', async () => {
    await lab.sync('a', [user('Hello'), assistant('x '.repeat(400))]);
    await lab.sync('a', [user('Hello'), assistant('Short.')]);
    await lab.sync('b', [user('Hello'), assistant('Short.')]);
    const tokens = async (id: string) => (await lab.store.head(refOf(id)))?.state.tokens;
    expect(await tokens('a')).toBe(await tokens('b'));
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it('forks a history with another past, and finds the fork again', async () => {
    await lab.sync('s', TALK);
    const before = await lab.sync('s', TALK);
    const other = [...TALK.slice(0, 3), assistant('No idea.'), user('Try again.')];
    const edited = [user('Why is the sky blue?'), assistant('Rayleigh.')];
    const forked = await lab.sync('s', [...TALK, user('Thanks.')]);
    expect(forked.divergence).toBeNull();
    const first = await lab.sync('s', other);
    expect(first.divergence).toEqual({
      session_id: first.session_id,
      parent_session_id: 's',
      parent_version: 4,
      index: 3,
    });
    expect(first).toMatchObject({ matched: 3, appended: 2 });
    expect(shown(first.context)).toEqual(other);
    const next = await lab.sync('s', [...other, assistant('Found it.')]);
    expect(next).toMatchObject({ session_id: first.session_id, matched: 5, appended: 1 });
    expect(next.divergence?.session_id).toBe(first.session_id);
    expect(await lab.sync(first.session_id, [...other, assistant('Found it.')])).toMatchObject({
      session_id: first.session_id,
      appended: 0,
      divergence: null,
    });
    const all = await lab.sync('s', edited);
    expect(all).toMatchObject({ matched: 0, appended: 2 });
    expect(shown(all.context)).toEqual(edited);
    // Nothing has happened to the session itself.
    expect(shown((await lab.sync('s', [...TALK, user('Thanks.')])).context)).toEqual([
      ...shown(before.context),
      user('Thanks.'),
    ]);
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it('forks where the past was cut off before words of the user', async () => {
    await lab.sync('s', [...TALK, user('Thanks.'), assistant('Welcome.')]);
    const rewound = await lab.sync('s', TALK);
    expect(rewound).toMatchObject({ matched: 4, appended: 0, superseded: [] });
    expect(rewound.divergence).toMatchObject({ index: 4, parent_version: 5 });
    expect(shown(rewound.context)).toEqual(TALK);
  });

  it('records a compaction that the client has made of its history', async () => {
    await lab.sync('s', TALK);
    const summary = user(
      'This session is being continued from a previous conversation that ran out of context. The ' +
        'conversation is summarized below:\nThe build fails.',
    );
    const kept = TALK.slice(2);
    const history = [summary, ...kept, user('Go on.')];
    const synced = await lab.sync('s', history);
    expect(synced).toMatchObject({
      matched: 3,
      appended: 1,
      is_compacted_by_client: true,
      divergence: null,
    });
    expect(shown(synced.context)[0]).toEqual(summary);
    expect(synced.context.map(({ origin }) => origin)).toContain('summary');
    const next = await lab.sync('s', [...history, assistant('I do.')]);
    expect(next).toMatchObject({ matched: 4, appended: 1, is_compacted_by_client: false });
    expect(await lab.items('s')).toEqual([...TALK, user('Go on.'), assistant('I do.')]);
    const tokens = (await lab.store.head(refOf('s')))?.state.tokens;
    expect(tokens).toBeGreaterThan(0);
    expect((await lab.store.verify()).problems).toEqual([]);
    // Its second one.
    const second = user(
      'This session is being continued from a previous conversation that ran out of context. The ' +
        'conversation is summarized below:\nAll is well.',
    );
    const anew = await lab.sync('s', [second, user('More.')]);
    expect(anew).toMatchObject({ matched: 1, appended: 1, is_compacted_by_client: true });
    expect(shown(anew.context)).toEqual([user([text(String(second.content)), text('More.')])]);
  });

  it('goes on over compactions of ours, in forks too', async () => {
    await lab.create('s', 'anthropic', TINY);
    const history: Item[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const words = ofTokens(40);
      history.push(
        user(`Question ${turn} ${words}`),
        ...tool(`t${turn}`, 'Bash', 100),
        assistant(`Answer ${turn} ${words}`),
      );
      const synced = await lab.sync('s', history);
      expect(synced).toMatchObject({ appended: 4, superseded: [], divergence: null });
      await lab.work();
    }
    expect(await lab.items('s')).toEqual(history);
    const head = await lab.store.head(refOf('s'));
    expect(head?.state.base).not.toBeNull();
    const other = [...history.slice(0, -1), assistant('Another one.'), user('And?')];
    const forked = await lab.sync('s', other);
    expect(forked).toMatchObject({ matched: other.length - 2, appended: 2, divergence: null });
    expect(forked.superseded).toHaveLength(1);
    expect(await lab.items('s')).toEqual(other);
    const edited = [...history.slice(0, -8), user('Another question'), assistant('Hm.')];
    const fork = await lab.sync('s', edited);
    expect(fork.divergence).not.toBeNull();
    expect(fork).toMatchObject({ matched: edited.length - 2, appended: 2 });
    // The fork knows what its parent knew, also where the history comes in another shape.
    const whole = [...edited.slice(1), user('More.')];
    const again = await lab.sync(fork.session_id, [
      user([text(`Question 0 ${ofTokens(40)}`)]),
      ...whole,
    ]);
    expect(again).toMatchObject({ session_id: fork.session_id, appended: 1, divergence: null });
    expect((await lab.store.verify()).problems).toEqual([]);
  });

  it('comes back as the same log from an export', async () => {
    const said = { timestamp: '2025-12-31T23:00:00+01:00' };
    await lab.sync('s', [user('Hello', said), assistant('I was cut o')]);
    await lab.sync('s', [
      user('Hello', said),
      assistant('I was not.'),
      user('More.', { timestamp: 'then' }),
    ]);
    await lab.sync('s', [user('<state_snapshot>All is well.</state_snapshot>'), user('Go on.')]);
    const rows = await lab.store.rows(refOf('s'), { after: 0, limit: 100 });
    const types = rows.map(({ type }) => type);
    expect(types).toContain('item.superseded');
    expect(types).toContain('compaction.observed');
    expect(rows.flatMap(({ data }) => /"occurred_at":"([^"]*)"/.exec(data)?.[1] ?? [])).toEqual([
      '2025-12-31T23:00:00+01:00',
    ]);
    let text = '';
    for await (const part of exportParts(lab.store, refOf('s'), rows.length)) text += part.text;
    const other = await SyncLab.open();
    await restoreExport({ store: other.store, server: {} }, text, {
      idPrefix: '',
      tenant: 'local',
    });
    expect(await other.store.rows(refOf('s'), { after: 0, limit: 100 })).toEqual(rows);
    const history = [user('<state_snapshot>All is well.</state_snapshot>'), user('Go on.')];
    expect(await other.sync('s', history)).toMatchObject({ matched: 2, appended: 0 });
    expect((await other.store.verify()).problems).toEqual([]);
    await other.close();
  });

  it('looks at the size of the context only where somebody reads it, or it changes', async () => {
    await lab.sync('s', TALK);
    const deps = {
      ...lab.ports,
      largestHere: { events: 3, bytes: 100_000, values: 1_000, tokens: 100_000 },
    };
    const asked = { format: undefined, on_divergence: 'fork' as const, expected: null };
    const told = (items: Item[], reads_context: boolean) =>
      sync(deps, refOf('s'), { ...asked, items, idempotency: null, reads_context });
    await expect(told([...TALK, user('Write it.')], true)).rejects.toThrow(ElsewhereError);
    const retried = [...TALK.slice(0, 3), assistant('Let me write it.')];
    await expect(told(retried, false)).rejects.toThrow(ElsewhereError);
    const grown = await told([...TALK, user('Write it.')], false);
    expect(grown).toMatchObject({ ok: true, value: { synced: { matched: 4, appended: 1 } } });
  });

  it('says what was wrong', async () => {
    await lab.sync('s', TALK);
    await expect(lab.sync('s', TALK, { format: 'openai-chat' })).rejects.toThrow(
      'the session has the format "anthropic", and the history was sent as "openai-chat"',
    );
    await expect(lab.sync('s', [user('Else')], { on_divergence: 'reject' })).rejects.toThrow(
      'the history is another one than that of session "s" after version 1: item 0 is not what the session has there. Nothing was appended',
    );
    await expect(lab.sync('s', TALK.slice(0, 1), { on_divergence: 'reject' })).rejects.toThrow(
      'after version 2: it ends after 1 items, and the session goes on',
    );
    await expect(lab.sync('s', [{ role: 'judge', content: 'x' }])).rejects.toThrow(
      'nothing was appended: the history does not fit the session\'s format "anthropic"',
    );
  });
});
