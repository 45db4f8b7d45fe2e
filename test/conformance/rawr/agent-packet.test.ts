import { afterEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { packetState } from '../../../src/domain/session/head.ts';
import { receivePacket } from '../../../src/domain/session/packet-commands.ts';
import { PacketTimer } from '../../../src/workers/packet-timer.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, last, steps } from '../lab.ts';
import { atTurnEnd, packetsOf, pureAt, signal, TEMPLATES, TURN, turnEnd, work } from './lab.ts';

const PACKET = 'Goal: trailing commas. Completed: the parser. Next steps: moving on to the tests.';

/** A lab whose agent has been asked for its packet. */
async function asked(config: ConfigOverrides = {}): Promise<SessionLab> {
  const lab = await atTurnEnd({ packet_author: 'agent', ...config });
  expect((await signal(lab, 'turn_complete')).packet).not.toBeNull();
  return lab;
}

async function post(lab: SessionLab, text: string) {
  return lab.commit(receivePacket(lab.world, { compaction_id: lab.newId(), text }));
}

/** The dispatcher's round, `seconds` from now. */
async function round(lab: SessionLab, seconds: number): Promise<void> {
  const timer = new PacketTimer({
    store: lab.store,
    world: lab.world,
    dispatch: () => {},
    now: () => new Date(lab.now().getTime() + seconds * 1_000),
    newId: lab.newId,
    onError: (error) => {
      throw error;
    },
  });
  await timer.endOverdue();
}

const textOf = async (lab: SessionLab) => (await packetsOf(lab)).map(({ content }) => content);

describe('the prompt', () => {
  it('RW-80, RW-81: the state is awaiting_packet, with the percentage and the prompt', async () => {
    const lab = await atTurnEnd({ packet_author: 'agent' });
    const { packet, compaction } = await signal(lab, 'turn_complete');
    expect(compaction).toBeNull();
    const { state } = await lab.head();
    expect(packetState(state)).toBe('awaiting_packet');
    expect(state.packet_request).toMatchObject({ attribution: { percent_remaining: 60 } });
    const { data } = last(await lab.events(), 'packet.requested');
    expect(data).toMatchObject({ prompt: TEMPLATES.packet.text, template: 'packet@1' });
    expect(packet?.prompt).toBe(data.prompt);
  });

  it('RW-81: it asks for what a packet holds, and has no settings in front', () => {
    const parts = [/overarching goal/i, /current state/i, /invariants/i, /next step/i];
    for (const part of parts) expect(TEMPLATES.packet.text).toMatch(part);
    expect(TEMPLATES.packet.text).not.toMatch(/^---/);
  });

  it('RW-84: nothing is compacted before the packet is there', async () => {
    const lab = await asked();
    await append(lab, user(TEMPLATES.packet.text, { is_meta: true }));
    await signal(lab, 'sampling_complete', { needs_follow_up: true });
    expect(steps(await lab.events())).not.toContain('requested');
    expect((await post(lab, PACKET)).ok).toBe(true);
    expect(steps(await lab.events()).slice(-2)).toEqual(['packet.received', 'requested']);
    expect(packetState((await lab.head()).state)).toBe('compacting');
  });
});

describe('ways for it to come', () => {
  it('RW-83, RW-85: posted', async () => {
    const lab = await asked();
    await post(lab, PACKET);
    await work(lab);
    expect(await textOf(lab)).toEqual([PACKET]);
    expect((await lab.view()).entries.at(-1)?.item).toMatchObject({ content: PACKET });
  });

  it('RW-83, RW-85: as the next answer of the agent', async () => {
    const lab = await asked();
    const prompt = user(TEMPLATES.packet.text, { is_meta: true });
    const { compaction } = await append(lab, prompt, assistant(PACKET));
    expect(compaction).toMatchObject({ reason: 'turn_complete' });
    await work(lab);
    expect(await textOf(lab)).toEqual([PACKET]);
  });

  it('RW-83, RW-88: not at all: after the deadline the service writes it', async () => {
    const lab = await asked();
    await round(lab, 290);
    expect((await lab.head()).state.running).toBeNull();
    await round(lab, 301);
    expect(last(await lab.events(), 'packet.received').data).toMatchObject({ source: 'timeout' });
    await work(lab);
    expect(await textOf(lab)).toEqual([expect.stringContaining('Continuation packet')]);
  });

  it.each([
    ['nothing', []],
    ['a call alone', [call('t', 'Bash'), result('t', 'ok')]],
  ])('RW-83, RW-84: the turn ends with %s: the service writes it at once', async (_name, items) => {
    const lab = await asked();
    if (items.length > 0) await append(lab, ...items);
    const { compaction, packet } = await signal(lab, 'turn_complete');
    expect({ compaction, packet }).toMatchObject({
      compaction: { reason: 'turn_complete' },
      packet: null,
    });
    const received = last(await lab.events(), 'packet.received').data;
    expect(received).toEqual({
      source: 'turn_complete',
      seq: null,
      text: null,
      is_truncated: false,
    });
    await work(lab);
    expect(await textOf(lab)).toEqual([expect.stringContaining('Continuation packet')]);
  });

  it('RW-84, RW-89: what the user has queued meanwhile makes it needless', async () => {
    const lab = await asked();
    await signal(lab, 'turn_complete', { queued_user_messages: 1 });
    expect(last(await lab.events(), 'compaction.requested').data).not.toHaveProperty('packet');
    await work(lab);
    expect(await textOf(lab)).toEqual([]);
  });

  it('RW-83: a message of the user ends the wait, with the cut before it and without packet', async () => {
    const lab = await asked();
    const request = user('Now delete the old tests, please.');
    const { compaction, first_seq } = await append(lab, request, assistant('Deleted.'));
    expect(compaction).toMatchObject({ reason: 'turn_complete' });
    expect((await lab.head()).state.running).toMatchObject({ before: first_seq });
    await work(lab);
    expect(await textOf(lab)).toEqual([]);
    const { entries } = await lab.view();
    expect(entries.slice(-2).map(({ item }) => item)).toEqual([request, assistant('Deleted.')]);
  });

  it('RW-40, RW-84: the end of a turn in review mode is not looked at', async () => {
    const lab = await asked();
    expect((await signal(lab, 'turn_complete', { review_mode: true })).packet).not.toBeNull();
    expect(steps(await lab.events())).not.toContain('requested');
  });

  it.each(['an append', 'a signal'])('RW-88: %s after the deadline ends the wait too', (how) => {
    const session = pureAt(60, ['commit'], { packet_author: 'agent', packet_timeout_seconds: 20 });
    turnEnd(session);
    const next = () =>
      how === 'a signal'
        ? session.signal('sampling_complete').value.compaction
        : session.append(assistant(' ')).value.compaction;
    session.nowMs += 19_999;
    expect(next()).toBeNull();
    session.nowMs += 1;
    expect(next()).toMatchObject({ reason: 'turn_complete' });
    expect(session.head.state.running?.packet).toEqual({ author: 'watcher' });
  });

  it('RW-85: what comes late or twice is not taken', async () => {
    const lab = await asked();
    await post(lab, PACKET);
    expect(await post(lab, 'Another one.')).toMatchObject({
      rejection: { code: 'packet_not_requested' },
    });
    await work(lab);
    expect(await post(lab, 'Another one.')).toMatchObject({ ok: false });
    expect(await textOf(lab)).toEqual([PACKET]);
  });
});

describe('its form', () => {
  it('RW-86: one of 50,000 tokens is cut in the middle to packet_max_tokens', async () => {
    const lab = await asked();
    await post(lab, `START ${ofTokens(50_000)} END`);
    expect(last(await lab.events(), 'packet.received').data.is_truncated).toBe(true);
    await work(lab);
    const [text] = await textOf(lab);
    expect(text).toMatch(/^START abc[\s\S]*tokens left out[\s\S]*abc {2}END$/);
    expect(String(text).length / 4).toBeLessThanOrEqual(4_000);
    expect(String(text).length / 4).toBeGreaterThan(3_500);
  });

  it('RW-86: blank words of the agent are none', async () => {
    const lab = await asked();
    await append(lab, assistant(' \n'));
    expect(packetState((await lab.head()).state)).toBe('awaiting_packet');
  });

  it('RW-90: no preflight for this author, though turn_complete is required', () => {
    const session = pureAt(60, [], {
      packet_author: 'agent',
      auto_requires_any_boundary: ['turn_complete'],
    });
    const { value, events } = session.signal('turn_complete');
    expect(value.preflight_armed).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(['signal.observed', 'packet.requested']);
  });
});

describe('over the API', () => {
  let api: ApiServer;
  afterEach(() => api.close());

  it('RW-73, RW-86: the state with its deadline; blank text is refused', async () => {
    api = await startApi();
    const config = { token_safety_multiplier: 1, packet_author: 'agent' };
    const body = { id: 's', profile: 'rawr', context_window: 100_000, config };
    await send(api, 'POST', '/sessions', { body });
    await send(api, 'POST', '/sessions/s/items', { body: TURN });
    await send(api, 'POST', '/sessions/s/signals', { body: { signal: 'turn_complete' } });
    const deadline = '2026-01-02T03:09:05.000Z';
    const state = (await send(api, 'GET', '/sessions/s')).body.packet;
    expect(state).toEqual({ state: 'awaiting_packet', deadline });
    const path = '/sessions/s/packet';
    expect((await send(api, 'POST', path, { body: { text: ' \n' } })).status).toBe(400);
    const reply = await send(api, 'POST', path, { body: { text: PACKET } });
    expect(reply.status).toBe(202);
    expect(api.dispatched).toHaveLength(1);
  });
});
