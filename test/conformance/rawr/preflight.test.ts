import { afterEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Boundary } from '../../../src/domain/policy/boundaries.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { packetState } from '../../../src/domain/session/head.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, user } from '../../support/items.ts';
import { append, last } from '../lab.ts';
import { atTurnEnd, packetsOf, pureAt, signal, TURN, turnEnd, work } from './lab.ts';

const REQUIRED = { auto_requires_any_boundary: ['turn_complete'] as Boundary[] };

/** A session whose preflight is armed, with 60 % left. */
function armed(config: ConfigOverrides = {}) {
  const session = pureAt(60, [], { ...REQUIRED, ...config });
  expect(session.signal('turn_complete').value.preflight_armed).toBe(true);
  return session;
}

describe('arming it', () => {
  it.each(['watcher', 'none'] as const)(
    'RW-62, RW-90, RW-91, RW-131: author %s: the percentage is kept, and nothing is compacted yet',
    (packet_author) => {
      const session = pureAt(60, [], { ...REQUIRED, packet_author });
      const { events, value } = session.signal('turn_complete');
      expect(events.slice(1)).toEqual([
        { type: 'preflight.armed', data: { percent_remaining: 60 } },
      ]);
      expect(value).toMatchObject({ compaction: null, preflight_armed: true });
      expect(session.head.state.preflight).toMatchObject({ percent_remaining: 60 });
      expect(packetState(session.head.state)).toBe('idle');
    },
  );

  it.each(['tag', 'suggest'] as const)('RW-90: not in mode %s', (auto_compact_mode) => {
    const { value } = pureAt(60, [], { ...REQUIRED, auto_compact_mode }).signal('turn_complete');
    expect(value).toMatchObject({ preflight_armed: false, advice: auto_compact_mode });
  });

  it('RW-90: not where something else is required, nor at the line', () => {
    const other = { auto_requires_any_boundary: ['commit'] as Boundary[] };
    expect(pureAt(60, ['commit'], other).signal('turn_complete').value.preflight_armed).toBe(false);
    expect(pureAt(75, [], REQUIRED).signal('turn_complete').value.preflight_armed).toBe(false);
  });

  it('RW-62, RW-97: once, however often the turn ends', () => {
    const session = armed();
    for (let turn = 0; turn < 3; turn++) expect(turnEnd(session)).toBeNull();
    expect(session.count('preflight.armed')).toBe(1);
    expect(session.head.state.preflight).not.toBeNull();
  });

  it('RW-97: a compaction disarms it', () => {
    const session = armed();
    session.append(user('Go on.'));
    expect(session.head.state.preflight).toBeNull();
    session.complete(5_000);
    expect(session.append(user('And now?')).value.compaction).toBeNull();
  });

  it('RW-130: an emergency does not wait for the next message', () => {
    expect(turnEnd(pureAt(14, [], REQUIRED))).toMatchObject({
      attribution: { path: 'turn_complete', tier: 'emergency' },
    });
  });
});

describe('the next message', () => {
  it('RW-93, RW-126: fires it: a compaction with the cut before the message', () => {
    const session = armed();
    const { value } = session.append(user('Go on.'));
    expect(value.compaction).toMatchObject({ reason: 'preflight', trigger: 'auto' });
    expect(session.head.state.running).toMatchObject({
      before: value.first_seq,
      attribution: { path: 'preflight', percent_remaining: 60, boundaries: ['turn_complete'] },
    });
  });

  it('RW-94: one that starts with ! does not, and it stays armed', () => {
    const session = armed();
    expect(session.append(user('!git status')).value.compaction).toBeNull();
    expect(session.append(user('Go on.')).value.compaction).toMatchObject({ reason: 'preflight' });
  });

  it('RW-93: nor does the agent', () => {
    const session = armed();
    expect(session.append(assistant('Is there more?')).value.compaction).toBeNull();
  });

  it.each(['watcher', 'none'] as const)(
    'RW-93, RW-95, RW-98: author %s: it stands after the compacted past, without packet',
    async (packet_author) => {
      const lab = await atTurnEnd({ ...REQUIRED, packet_author });
      await signal(lab, 'turn_complete');
      const message = user('And the docs, please.');
      const past = (await lab.view()).entries;
      await append(lab, message);
      await work(lab);
      const { through } = last(await lab.events(), 'compaction.completed').data;
      expect(through).toBe(past.at(-1)?.seq);
      const { entries } = await lab.view();
      expect(entries.map(({ origin }) => origin)).toEqual([
        'boundary',
        'preserved',
        'preserved',
        'summary',
        'log',
      ]);
      expect(entries.at(-1)?.item).toEqual(message);
      expect(await packetsOf(lab)).toEqual([]);
    },
  );
});

describe('over the API', () => {
  let api: ApiServer;
  afterEach(() => api.close());

  it('RW-95, RW-96: the answer says that it waits, the context ends with it', async () => {
    api = await startApi();
    const config = { token_safety_multiplier: 1, ...REQUIRED };
    const body = { id: 's', profile: 'rawr', context_window: 100_000, config };
    await send(api, 'POST', '/sessions', { body });
    await send(api, 'POST', '/sessions/s/items', { body: TURN });
    const end = { signal: 'turn_complete' };
    const answer = await send(api, 'POST', '/sessions/s/signals', { body: end });
    expect(answer.body).toMatchObject({ preflight_armed: true, compaction: null });
    expect((await send(api, 'GET', '/sessions/s')).body.preflight_armed).toBe(true);
    const reply = await send(api, 'POST', '/sessions/s/items', { body: user('The new question.') });
    expect(reply.body.note).toMatch(/paused for a compaction.*send the request.*again or continue/);
    const waiting = send(api, 'GET', '/sessions/s/context?wait=compaction');
    await api.work(api.dispatched.at(-1));
    const items = (await waiting).body.items as Item[];
    expect(JSON.stringify(items.at(-1)).endsWith('The new question."}]}')).toBe(true);
    expect(JSON.stringify(items)).toContain('ran out of context');
  });
});
