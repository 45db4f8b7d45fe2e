import { describe, expect, it } from 'vitest';
import { disarmed } from '../../../src/domain/session/disarm.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { configOf } from '../../../src/domain/session/head.ts';
import { created, headOf, requested, started, WORLD } from '../../support/given.ts';

/** What ends when automatic compaction was switched off after these events. */
function typesEnded(...events: NewEvent[]): string[] {
  const head = headOf([created({ config: { auto_compact_enabled: false } }), ...events]);
  if (head === null) throw new Error('there is no session');
  const config = configOf(head.settings, WORLD.server);
  return disarmed(head, config, 'new').map(({ type }) => type);
}

describe('an automatic compaction that is switched off after its request', () => {
  it('is skipped while no worker has taken it up', () => {
    expect(typesEnded(requested())).toEqual(['compaction.skipped']);
  });

  it('goes on once it has started', () => {
    expect(typesEnded(requested(), started())).toEqual([]);
  });
});
