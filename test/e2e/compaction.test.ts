import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codecFor, FORMATS } from '../../src/domain/items/codecs.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { isTerminal, type LoggedEvent, SessionClient } from './api-client.ts';
import { Speaker, textOf, turns } from './conversation.ts';

const DIGEST = '[Digest: ';
/** Threshold 14,960 tokens, which is 11,248 without margin; at least 1,600 to clear. */
const WINDOW = 16_000;

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.dispose());

describe.each(FORMATS)('a session in format %s', (format) => {
  const speaker = new Speaker(format);
  let sessions = 0;
  const create = () => {
    sessions += 1;
    const id = `${format}-${sessions}`;
    return SessionClient.create(() => service.url, { id, format, context_window: WINDOW });
  };
  /** Eight file reads of `tokens` tokens each, results included. */
  const reads = (tokens: number) =>
    Array.from({ length: 8 }, (_, i) =>
      speaker.toolRound(`call_${i}`, 'Read', { path: `src/f${i}.ts` }, textOf(`f${i}`, tokens)),
    ).flat();

  it('compacts by itself when an append reaches the threshold', async () => {
    const session = await create();
    const opening = turns(speaker, 'opening', 5, 1_000);
    expect(await session.append(opening)).toMatchObject({ compaction: null });
    const closing = turns(speaker, 'closing', 1, 1_000);
    const answer = await session.append(closing);
    expect(answer.context.is_above_auto_compact).toBe(true);
    expect(answer.compaction).toMatchObject({ mode: 'auto', trigger: 'auto' });
    const ended = await session.ended(answer.compaction?.id ?? '');
    expect(ended.outcome).toBe('full_compacted');
    const context = await session.context();
    expect(context.base_compaction_id).toBe(answer.compaction?.id);
    expect(context.tokens).toBeLessThan(answer.context.limit / 2);
    expect(codecFor(format).violations(context.items)).toEqual([]);
    expect(JSON.stringify(context.items[0])).toContain('is being continued from a previous');
    expect(context.items.at(-1)).toEqual(closing.at(-1));
    const log = await session.items();
    expect(log.map(({ item }) => item)).toEqual([...opening, ...closing]);
  });

  it('clears old tool results, and stops there when that is enough', async () => {
    const session = await create();
    const items = [
      speaker.user('Read the files.'),
      ...turns(speaker, 't', 2, 1_000),
      ...reads(1_000),
    ];
    const answer = await session.append(items);
    const ended = await session.ended(answer.compaction?.id ?? '');
    expect(ended.outcome).toBe('micro_compacted');
    const context = await session.context();
    expect(codecFor(format).violations(context.items)).toEqual([]);
    expect(JSON.stringify(context.items).split(DIGEST)).toHaveLength(5 + 1);
    const cleared = JSON.stringify(context.items);
    for (const kept of ['f5 src', 'f6 src', 'f7 src']) expect(cleared).toContain(kept);
    expect(cleared).not.toContain(textOf('f4', 1_000));
    const original = await session.request('GET', '/tool-results/call_0');
    expect(original.status).toBe(200);
    expect(JSON.stringify(original.body)).toContain(textOf('f0', 1_000));
  });

  it('replaces the conversation when clearing tool results is not enough', async () => {
    const session = await create();
    const answer = await session.append([...reads(700), ...turns(speaker, 't', 5, 1_000)]);
    const id = answer.compaction?.id ?? '';
    expect((await session.ended(id)).outcome).toBe('full_compacted');
    const own = await eventsOf(session, id);
    expect(own.filter(isTerminal).map(({ type }) => type)).toEqual(['compaction.completed']);
    const { items } = await session.context();
    expect(JSON.stringify(items)).not.toContain(DIGEST);
    expect(codecFor(format).violations(items)).toEqual([]);
  });

  it('compacts by hand and answers within the wait', async () => {
    const session = await create();
    await session.append(turns(speaker, 't', 3, 500));
    const full = await session.compact({ mode: 'full', focus: 'the module names' });
    expect(full).toMatchObject({ status: 'ended', outcome: 'full_compacted' });
    const [requested] = await eventsOf(session, full.id);
    expect(requested?.data).toMatchObject({ trigger: 'manual', focus: 'the module names' });
    const nothing = await session.compact({ mode: 'micro' });
    expect(nothing).toMatchObject({ status: 'ended', outcome: 'skipped' });
  });

  it('gives back the earlier context and what came after when a compaction is reverted', async () => {
    const session = await create();
    await session.append([
      speaker.user('Read them.'),
      ...reads(300),
      ...turns(speaker, 't', 2, 500),
    ]);
    const before = await session.context();
    const full = await session.compact({ mode: 'full' });
    const compacted = await session.context();
    expect(compacted.tokens).toBeLessThan(before.tokens);
    const later = turns(speaker, 'later', 2, 50);
    await session.append(later);
    const reverted = await session.request('POST', `/compactions/${full.id}/revert`);
    expect(reverted.status).toBe(200);
    const after = await session.context();
    expect(after.items).toEqual([...before.items, ...later]);
    expect(after.base_compaction_id).toBeNull();
    const then = await session.context(`at=${compacted.version}`);
    expect(then.items).toEqual(compacted.items);
  });

  it('gives back cleared tool results when a micro-compaction is reverted', async () => {
    const session = await create();
    await session.append([speaker.user('Read the files.'), ...reads(1_000)]);
    const before = await session.context();
    const micro = await session.compact({ mode: 'micro' });
    expect(micro.outcome).toBe('micro_compacted');
    expect((await session.context()).items).not.toEqual(before.items);
    await session.request('POST', `/compactions/${micro.id}/revert`);
    expect((await session.context()).items).toEqual(before.items);
  });

  it('carries an earlier summary on through a second compaction', async () => {
    const session = await create();
    const first = speaker.user('Never touch the file src/forbidden/keep.ts, whatever happens.');
    await session.append([first, ...turns(speaker, 'one', 3, 500)]);
    await session.compact({ mode: 'full' });
    const tail = turns(speaker, 'two', 3, 500);
    await session.append(tail);
    const second = await session.compact({ mode: 'full' });
    expect(second.outcome).toBe('full_compacted');
    const context = await session.context();
    expect(JSON.stringify(context.items[0])).toContain('src/forbidden/keep.ts');
    expect(context.items.at(-1)).toEqual(tail.at(-1));
  });
});

async function eventsOf(session: SessionClient, compactionId: string): Promise<LoggedEvent[]> {
  return (await session.events()).filter(({ data }) => data.compaction_id === compactionId);
}
