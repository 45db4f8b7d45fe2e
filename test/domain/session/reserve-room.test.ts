import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { configOf } from '../../../src/domain/session/head.ts';
import { reserveRoom } from '../../../src/domain/session/reserve-room.ts';
import { NOW, WORLD } from '../../support/given.ts';
import { assistant } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';

/** A session of so many tokens, in a window of 100,000; 6,500 of it are kept free. */
function sessionOf(tokens: number, config: ConfigOverrides = {}): PureSession {
  const session = new PureSession(config, 'default');
  session.push({ type: 'item.appended', data: { item: assistant('x'), tokens } });
  return session;
}

function reserve(session: PureSession, overhead: number) {
  const command = { overhead, compaction_id: 'asked', now_ms: NOW };
  const { value } = session.run(reserveRoom(WORLD, command));
  return { ...value, buffer: configOf(session.head.settings, {}).free_space_buffer };
}

describe('reserveRoom', () => {
  it('raises the buffer in steps of a fortieth of the window, and never lowers it', () => {
    const session = sessionOf(1_000);
    const before = reserve(session, 1).buffer;
    expect(reserve(session, before)).toMatchObject({ buffer: before, note: null });
    expect(reserve(session, 21_000)).toEqual({ requested: false, note: null, buffer: 22_500 });
    const { version } = session.head.state;
    expect(reserve(session, 22_400).buffer).toBe(22_500);
    expect(reserve(session, 10).buffer).toBe(22_500);
    expect(session.head.state.version).toBe(version);
  });

  it('keeps at most half of the window free, and says so', () => {
    const session = sessionOf(1_000);
    expect(reserve(session, 80_000)).toEqual({
      requested: false,
      buffer: 50_000,
      note: 'an overhead of 80000 tokens leaves no room in a window of 100000: 50000 are kept free',
    });
    expect(reserve(session, 90_000).buffer).toBe(50_000);
  });

  it('requests a compaction where the context is above the new limit', () => {
    const session = sessionOf(80_000);
    expect(reserve(session, 10_000)).toMatchObject({ requested: false });
    expect(reserve(session, 30_000)).toMatchObject({ requested: true, buffer: 30_000 });
    expect(session.head.state.running).toMatchObject({ id: 'asked', trigger: 'auto' });
    expect(reserve(session, 40_000)).toMatchObject({ requested: false, buffer: 40_000 });
  });

  it.each<ConfigOverrides>([{ enabled: false }, { auto_compact_enabled: false }])(
    'changes nothing with %o',
    (config) => {
      const session = sessionOf(99_000, config);
      const { version } = session.head.state;
      expect(reserve(session, 30_000)).toMatchObject({ requested: false });
      expect(session.head.state.version).toBe(version);
    },
  );

  it('requests nothing where the client is only told', () => {
    const session = sessionOf(80_000, { auto_compact_mode: 'suggest' });
    expect(reserve(session, 30_000)).toMatchObject({ requested: false, buffer: 30_000 });
  });

  it('leaves a configuration that has no room for more as it is, and says why', () => {
    const session = sessionOf(1_000, { threshold_style: 'limit', warning_threshold: 70_000 });
    expect(reserve(session, 40_000).note).toMatch(/leaves no room for free_space_buffer 40000/);
  });
});
