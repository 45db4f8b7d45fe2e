import { afterEach, describe, expect, it } from 'vitest';
import { renderEntries } from '../../../src/domain/context/render.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { configOf, type PacketState, packetState } from '../../../src/domain/session/head.ts';
import { summarizerChooser } from '../../../src/workers/summarizers/registry.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { answer } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, StubModel, steps } from '../lab.ts';
import {
  atTurnEnd,
  GOOD,
  LAST_WORDS,
  openLab,
  packetsOf,
  pureAt,
  signal,
  TURN,
  turnEnd,
  work,
} from './lab.ts';

const stateOf = async (lab: SessionLab): Promise<PacketState> =>
  packetState((await lab.head()).state);

/** Ends the turn and runs the worker; the packet, which is the only one. */
async function packetAfter(lab: SessionLab): Promise<Item> {
  await signal(lab, 'turn_complete');
  await work(lab);
  const [packet, ...more] = await packetsOf(lab);
  expect(more).toEqual([]);
  if (packet === undefined) throw new Error('there is no packet');
  return packet;
}

describe('when there is one', () => {
  it('RW-04, RW-60, RW-71, RW-74: a synthetic message of the user after the compacted past', async () => {
    const lab = await atTurnEnd();
    const packet = await packetAfter(lab);
    expect(packet).toEqual({ role: 'user', content: expect.any(String), is_meta: true });
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual([
      'boundary',
      'preserved',
      'preserved',
      'summary',
      'log',
    ]);
    expect(entries.at(-1)?.item).toEqual(packet);
  });

  it.each([
    ['mode tag', { auto_compact_mode: 'tag' }, TURN],
    ['mode suggest', { auto_compact_mode: 'suggest' }, TURN],
    ['no boundary', {}, [user('Go.'), assistant(ofTokens(40_000))]],
  ] as const)('RW-60: none with %s', async (_case, config, items) => {
    const lab = await atTurnEnd(config, [...items]);
    await signal(lab, 'turn_complete');
    expect(await stateOf(lab)).toBe('idle');
    expect(await lab.store.pending(10)).toEqual([]);
  });

  it.each(['watcher', 'agent'] as const)(
    'RW-61, RW-89, RW-131: author %s, but messages wait: compacted at once, no packet',
    async (packet_author) => {
      const config = { packet_author, auto_requires_any_boundary: ['turn_complete' as const] };
      const lab = await atTurnEnd(config);
      const { compaction, preflight_armed } = await signal(lab, 'turn_complete', {
        queued_user_messages: 1,
      });
      expect(compaction).toMatchObject({ reason: 'turn_complete' });
      expect(preflight_armed).toBe(false);
      expect(steps(await work(lab))).toContain('completed');
      expect(await packetsOf(lab)).toEqual([]);
      expect(await stateOf(lab)).toBe('idle');
    },
  );

  it.each([
    ['none', 0],
    ['watcher', 1],
  ] as const)('RW-74: author %s: %i', async (packet_author, count) => {
    const lab = await atTurnEnd({ packet_author });
    await signal(lab, 'turn_complete');
    await work(lab);
    expect(await packetsOf(lab)).toHaveLength(count);
  });
});

describe('its text', () => {
  it('RW-63: why it was compacted, four kinds of notes, the last words, and how to go on', async () => {
    const lab = await atTurnEnd();
    const { content } = await packetAfter(lab);
    const text = String(content);
    const parts = [
      'because only 60 % of the window was left',
      'natural boundary (agent_done)',
      '## Overarching goal',
      'Make the parser accept trailing commas.',
      '## Current state',
      '## Invariants and decisions',
      'Never touch the lexer.',
      '## Next step',
      '## Last words of the assistant',
      LAST_WORDS,
      '## Go on',
    ];
    const places = parts.map((part) => text.indexOf(part, text.indexOf(parts[0] ?? '')));
    expect(places).not.toContain(-1);
    const headings = parts
      .filter((part) => part.startsWith('##'))
      .map((part) => text.indexOf(part));
    expect(headings).toEqual([...headings].sort((a, b) => a - b));
  });

  it('RW-63: of long last words the last 1,200 characters, as they stand', async () => {
    const end = `${'0123456789'.repeat(110)} The changelog is done, with "quotes" and \`code\`.`;
    const words = `START ${'x'.repeat(500)} ${end}`;
    const lab = await atTurnEnd({}, [...TURN.slice(0, 3), assistant(words)]);
    const text = String((await packetAfter(lab)).content);
    expect(text).toContain(words.slice(-1_200));
    expect(text).not.toContain(words.slice(-1_201));
  });

  it('RW-86: at most packet_max_tokens', async () => {
    const lab = await atTurnEnd({ packet_max_tokens: 400 });
    const text = String((await packetAfter(lab)).content);
    expect(Math.ceil(text.length / 4)).toBeLessThanOrEqual(400);
  });
});

describe('its states', () => {
  it('RW-64, RW-73, RW-74: idle, compacting with the percentage, idle', async () => {
    const lab = await atTurnEnd();
    expect(await stateOf(lab)).toBe('idle');
    await signal(lab, 'turn_complete');
    expect(await stateOf(lab)).toBe('compacting');
    expect((await lab.head()).state.running).toMatchObject({
      packet: { author: 'watcher' },
      attribution: { path: 'turn_complete', percent_remaining: 60 },
    });
    await work(lab);
    expect(await stateOf(lab)).toBe('idle');
  });

  it('RW-66: what the provider has reported is forgotten with the compaction', async () => {
    const usage = { input_tokens: 60_000, output_tokens: 0 };
    const lab = await atTurnEnd({}, [...TURN.slice(0, 3), assistant(LAST_WORDS, { usage })]);
    expect((await signal(lab, 'turn_complete')).percent_remaining_of_window).toBe(40);
    await work(lab);
    expect((await lab.head()).state.usage).toBeNull();
    expect((await signal(lab, 'agent_done')).percent_remaining_of_window).toBeGreaterThan(90);
    const { compaction } = await signal(lab, 'turn_complete');
    expect(compaction).toBeNull();
  });

  it('RW-66: it is not when the compaction fails', async () => {
    const usage = { input_tokens: 60_000, output_tokens: 0 };
    const items = [...TURN.slice(0, 3), assistant(LAST_WORDS, { usage })];
    const lab = await atTurnEnd({ summarizer_fallback: [] }, items);
    const message = 'anthropic: status 401';
    StubModel.of(lab, { ok: false, reason: 'api_error', message, retryable: false });
    const reported = (await lab.head()).state.usage;
    expect(reported).not.toBeNull();
    await signal(lab, 'turn_complete');
    expect(steps(await work(lab))).toContain('failed');
    expect((await lab.head()).state.usage).toEqual(reported);
    expect((await signal(lab, 'agent_done')).percent_remaining_of_window).toBe(40);
  });

  it('RW-70, RW-71, RW-72: it is written with the completion, in one write', async () => {
    const lab = await atTurnEnd();
    await packetAfter(lab);
    const events = await lab.events();
    expect(steps(events.slice(-2))).toEqual(['completed', 'item.appended']);
    // The lab's clock ticks with each write: no reader sees the one without the other.
    expect(events.at(-1)?.at).toBe(events.at(-2)?.at);
  });

  it('RW-71, RW-72: once, though the job comes three times, and two workers take it', async () => {
    const lab = await atTurnEnd();
    await signal(lab, 'turn_complete');
    const { running } = (await lab.head()).state;
    if (running === null) throw new Error('nothing was requested');
    await Promise.all([lab.work(running.id), lab.work(running.id)]);
    await lab.work(running.id);
    expect(await packetsOf(lab)).toHaveLength(1);
  });

  it.each<[string, (lab: SessionLab) => Promise<unknown>]>([
    ['the turn ends again', (lab) => signal(lab, 'turn_complete')],
    ['a turn begins', (lab) => signal(lab, 'turn_started')],
    ['the agent writes', (lab) => append(lab, assistant('All is done.'))],
    ['somebody asks for a compaction', (lab) => lab.request('full')],
  ])('RW-70, RW-72: one packet, and idle, though meanwhile %s', async (_what, happens) => {
    const lab = await atTurnEnd();
    const model = StubModel.of(lab, GOOD);
    const summarize = model.ask.bind(model);
    model.ask = async (request) => {
      await happens(lab);
      return summarize(request);
    };
    await signal(lab, 'turn_complete');
    await work(lab);
    const [packet, ...more] = await packetsOf(lab);
    expect(more).toEqual([]);
    expect((await lab.view()).entries.at(-1)?.item).toEqual(packet);
    expect(await stateOf(lab)).toBe('idle');
  });

  it('RW-70, RW-72: none, when the user writes meanwhile: what is said there goes on', async () => {
    const lab = await atTurnEnd();
    const model = StubModel.of(lab, GOOD);
    const summarize = model.ask.bind(model);
    model.ask = async (request) => {
      await append(lab, user('And the docs.'), assistant('They are written.'));
      return summarize(request);
    };
    await signal(lab, 'turn_complete');
    await work(lab);
    expect(await packetsOf(lab)).toEqual([]);
    expect((await lab.view()).entries.at(-1)?.item).toEqual(assistant('They are written.'));
    expect(await stateOf(lab)).toBe('idle');
  });

  it.each<[string, (lab: SessionLab, id: string) => Promise<unknown>]>([
    ['fails', (lab, id) => lab.work(id)],
    ['is cancelled', (lab, id) => lab.cancel(id)],
  ])('RW-76: nothing is appended when the compaction %s', async (_how, end) => {
    const lab = await atTurnEnd({ summarizer_fallback: [] });
    const message = 'anthropic: status 401';
    StubModel.of(lab, { ok: false, reason: 'api_error', message, retryable: false });
    const before = (await lab.view()).entries;
    await signal(lab, 'turn_complete');
    const { running } = (await lab.head()).state;
    if (running === null) throw new Error('nothing was requested');
    await end(lab, running.id);
    expect(await packetsOf(lab)).toEqual([]);
    expect((await lab.view()).entries).toEqual(before);
    expect(await stateOf(lab)).toBe('idle');
  });
});

describe('the call for the summary', () => {
  let server: ScriptedModelServer;
  afterEach(() => server.close());

  it('RW-68: has a model and an effort of its own, the same after the watcher and by hand', async () => {
    server = await ScriptedModelServer.start(answer(GOOD), answer(GOOD));
    const environment = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: server.openaiUrl };
    const choose = summarizerChooser(null, environment);
    const ways: ((lab: SessionLab) => Promise<unknown>)[] = [
      (lab) => signal(lab, 'turn_complete'),
      (lab) => lab.request('full'),
    ];
    for (const ask of ways) {
      const config = { summarization_model: 'openai/gpt-5-mini' };
      const lab = await openLab(config, { model: 'gpt-5.4' });
      await append(lab, ...TURN);
      const { settings } = await lab.head();
      lab.summarizer = choose(settings, configOf(settings, lab.world.server));
      await ask(lab);
      expect(steps(await work(lab))).toEqual(['requested', 'started', 'completed']);
    }
    const [watched, byHand, ...more] = server.requests.map(({ body }) => body);
    expect(more).toEqual([]);
    expect(watched).toMatchObject({ model: 'gpt-5-mini', reasoning_effort: 'low' });
    expect(watched).not.toHaveProperty('verbosity');
    expect({ ...byHand, messages: [] }).toEqual({ ...watched, messages: [] });
  });
});

describe('what it is to the next compaction', () => {
  it('RW-75: no message of the user: it is neither kept as one nor summarised', async () => {
    const lab = await atTurnEnd();
    const packet = await packetAfter(lab);
    await append(lab, assistant(ofTokens(3_000)), user('And the docs.'));
    const model = StubModel.of(lab, GOOD);
    await compact(lab, 'full');
    expect(model.prompt).toContain('And the docs.');
    expect(model.prompt).not.toContain('Continuation packet');
    const { entries } = await lab.view();
    expect(entries.map(({ item }) => item)).not.toContainEqual(packet);
  });

  it('RW-75: the model reads it as the last message of the user', async () => {
    const lab = await atTurnEnd();
    const packet = await packetAfter(lab);
    const { entries } = await lab.view();
    const rendered = renderEntries(entries, 'anthropic', 'openai-responses');
    expect(rendered.at(-1)).toMatchObject({ role: 'user' });
    expect(JSON.stringify(rendered.at(-1))).toContain(JSON.stringify(packet.content).slice(1, -1));
  });
});

describe('over the API', () => {
  let api: ApiServer;
  afterEach(() => api.close());

  it('RW-67, RW-73, RW-75: the job is handed over once; the client runs the turn', async () => {
    api = await startApi();
    const config = { token_safety_multiplier: 1 };
    const body = { id: 's', profile: 'rawr', context_window: 100_000, config };
    await send(api, 'POST', '/sessions', { body });
    await send(api, 'POST', '/sessions/s/items', { body: TURN });
    const standing = async () => (await send(api, 'GET', '/sessions/s')).body.packet;
    expect(await standing()).toEqual({ state: 'idle', deadline: null });
    const end = { signal: 'turn_complete' };
    await send(api, 'POST', '/sessions/s/signals', { body: end });
    expect(api.dispatched).toHaveLength(1);
    expect(await standing()).toEqual({ state: 'compacting', deadline: null });
    await api.work(api.dispatched[0]);
    expect(await standing()).toEqual({ state: 'idle', deadline: null });
    const context = (await send(api, 'GET', '/sessions/s/context')).body;
    const items = context.items as Item[];
    expect(items.at(-1)).toMatchObject({ role: 'user' });
    expect(JSON.stringify(items.at(-1))).toContain('Continuation packet');
  });
});

it('RW-65: the request names the watcher as its cause', () => {
  expect(turnEnd(pureAt(60, ['commit']))).toMatchObject({
    trigger: 'auto',
    reason: 'turn_complete',
    attribution: {
      path: 'turn_complete',
      tier: 'asap',
      percent_remaining: 60,
      boundaries: ['commit'],
    },
  });
});
