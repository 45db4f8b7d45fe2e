import { describe, expect, it } from 'vitest';
import type { Boundary } from '../../../src/domain/policy/boundaries.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';
import { pureAt } from './lab.ts';

describe('the mode of the watcher', () => {
  it('RW-30: it is auto unless configured', () => {
    expect(new PureSession().config.auto_compact_mode).toBe('auto');
    const { value } = pureAt(60, ['commit']).signal('turn_complete');
    expect(value).toMatchObject({ advice: null, compaction: { reason: 'turn_complete' } });
  });

  it.each<[string, 'tag' | 'suggest', Boundary[]]>([
    ['RW-31, RW-50', 'tag', ['commit']],
    ['RW-31, RW-50', 'tag', []],
    ['RW-30, RW-32, RW-50', 'suggest', ['commit']],
    ['RW-32, RW-50', 'suggest', []],
  ])('%s: %s says so with boundaries %j, and does nothing', (_ids, mode, boundaries) => {
    const session = pureAt(60, boundaries, { auto_compact_mode: mode });
    const { value, events } = session.signal('turn_complete');
    expect(value).toMatchObject({ advice: mode, compaction: null, packet: null });
    expect(events.map(({ type }) => type)).toEqual(['signal.observed']);
  });

  it.each(['tag', 'suggest'] as const)('RW-31, RW-32: %s, in an emergency too', (mode) => {
    const { value } = pureAt(5, [], { auto_compact_mode: mode }).signal('turn_complete');
    expect(value).toMatchObject({ advice: mode, compaction: null });
  });

  it('RW-33: auto may compact, and need not', () => {
    expect(pureAt(60, ['commit']).signal('turn_complete').value.compaction).not.toBeNull();
    expect(pureAt(60).signal('turn_complete').value.compaction).toBeNull();
  });

  it.each(['tag', 'suggest', 'auto'] as const)('RW-43: %s is silent at the line', (mode) => {
    const { value } = pureAt(75, ['commit'], { auto_compact_mode: mode }).signal('turn_complete');
    expect(value).toMatchObject({ advice: null, compaction: null });
  });

  it.each(['tag', 'suggest'] as const)(
    'RW-34: %s holds for whatever an append would request, too',
    (mode) => {
      const session = new PureSession({ auto_compact_mode: mode });
      const { value } = session.append(user(ofTokens(84_000)), assistant(ofTokens(1_000)));
      expect(value).toMatchObject({ advice: mode, compaction: null });
    },
  );
});
