import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { send, startApi } from '../../support/api-server.ts';
import { attachment, ofTokens } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, last, StubModel } from '../lab.ts';
import {
  appendTo,
  assistant,
  call,
  GOOD,
  microCompact,
  openLab,
  output,
  shells,
  tool,
  user,
} from './lab.ts';

const CLEARED = '[Old tool result content cleared]';

/** A session with these items. */
async function labWith(items: Item[]): Promise<SessionLab> {
  const lab = await openLab();
  await append(lab, ...items);
  return lab;
}

const outputs = async (lab: SessionLab) =>
  (await lab.view()).entries.flatMap(({ item }) =>
    item.type === 'function_call_output' ? [item.output] : [],
  );

describe('CompactState', () => {
  const SIZES = [30_000, 1, 1, 1];

  it('CV-20, CV-39, CV-41: what was cleared is neither counted nor cleared again', async () => {
    const lab = await labWith(shells(...SIZES));
    expect(await microCompact(lab)).toEqual({ ids: ['r1'], saved: 30_000 });
    const before = await outputs(lab);
    expect(await microCompact(lab)).toBeNull();
    expect(await outputs(lab)).toEqual(before);
    // Calls that have become old since are cleared alone.
    await append(
      lab,
      ...tool('r5', 'shell', 30_000),
      ...shells(...SIZES)
        .slice(2)
        .map(renamed),
    );
    expect(await microCompact(lab)).toEqual({ ids: ['r2', 'r3', 'r4', 'r5'], saved: 30_003 });
    expect((await outputs(lab))[0]).toBe(CLEARED);
  });

  const renamed = (item: Item): Item => ({ ...item, call_id: `later-${item.call_id}` });

  it('CV-20: the set of a session starts empty, and belongs to it alone', async () => {
    const one = await labWith(shells(...SIZES));
    const other = await labWith(shells(...SIZES));
    expect((await one.view()).edits.size).toBe(0);
    await compact(one, 'micro');
    expect((await one.view()).edits.size).toBe(1);
    expect((await other.view()).edits.size).toBe(0);
    expect(await microCompact(other)).toEqual({ ids: ['r1'], saved: 30_000 });
  });

  it('CV-20: those in the context are told with it, now and as of an earlier version', async () => {
    const api = await startApi();
    try {
      const session = { id: 's', profile: 'codex-v2', format: 'openai-responses' };
      await send(api, 'POST', '/sessions', { body: session });
      const { body } = await send(api, 'POST', '/sessions/s/items', { body: shells(...SIZES) });
      await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'micro' } });
      await api.work(api.dispatched.at(-1));
      const ids = async (query: string) =>
        (await send(api, 'GET', `/sessions/s/context${query}`)).body.compacted_tool_ids;
      expect(await ids('')).toEqual(['r1']);
      expect(await ids(`?at=${body.version}`)).toEqual([]);
    } finally {
      await api.close();
    }
  });

  it('CV-24: a memory attachment stays until it is summarised, and in the log for ever', async () => {
    const lab = await labWith([user('Go.'), assistant(ofTokens(3_000))]);
    const memory = attachment('memory', 'The user prefers tabs.');
    await append(lab, memory, user('And now?'), assistant('This.'));
    const inContext = async () => JSON.stringify((await lab.view()).entries).includes('tabs');
    expect(await inContext()).toBe(true);
    const model = StubModel.of(lab, GOOD);
    await compact(lab, 'full');
    expect(model.prompt).toContain('The user prefers tabs.');
    expect(await inContext()).toBe(false);
    expect((await lab.events()).map(({ data }) => 'item' in data && data.item)).toContainEqual(
      memory,
    );
  });

  it('CV-21, CV-25: the session counts its micro-compactions, from 0', async () => {
    const lab = await labWith(shells(...SIZES));
    expect((await lab.head()).state.compactions.micro).toBe(0);
    await compact(lab, 'micro');
    expect((await lab.head()).state.compactions.micro).toBe(1);
  });

  it('CV-22, CV-23: an output is counted when it comes, and not again with those that follow', () => {
    const counted: string[] = [];
    const o200k_base = (text: string) => {
      counted.push(text);
      return text.length;
    };
    const world = { server: {}, tokenizers: { o200k_base } };
    const config = { token_counter: 'o200k_base', token_safety_multiplier: 1 } as const;
    const items = [call('t', 'shell'), output('t', 'the output')];
    const { answer, events: earlier } = appendTo(items, config, { world });
    expect(last(earlier, 'item.appended').data.tokens).toBe('the output'.length);
    const more = appendTo([user('more')], config, { world, earlier }).answer;
    expect(counted.filter((text) => text === 'the output')).toHaveLength(1);
    expect(more.context.tokens).toBe(answer.context.tokens + 'more'.length);
  });

  it('CV-25: it lasts over turns', async () => {
    const lab = await labWith(shells(...SIZES));
    await compact(lab, 'micro');
    await append(lab, assistant('Done.'), user('And now?'), assistant('This.'));
    expect(await microCompact(lab)).toBeNull();
    expect((await outputs(lab))[0]).toBe(CLEARED);
  });
});
