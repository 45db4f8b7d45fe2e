import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fork } from '../../src/app/fork.ts';
import { loadHistory } from '../../src/app/load-history.ts';
import { assistant, user } from '../support/items.ts';
import { refOf, SyncLab } from '../support/sync-lab.ts';

let lab: SyncLab;
beforeEach(async () => {
  lab = await SyncLab.open();
});
afterEach(() => lab.close());

async function forkOf(parent: string, id: string): Promise<void> {
  const forked = await fork(lab.ports, refOf(parent), { id });
  expect(forked.ok).toBe(true);
}

describe('the history of a fork of forks', () => {
  it('reads one session after the other, the first of them first', async () => {
    await lab.sync('f0', [user('Why does the build fail?'), assistant('A file is missing.')]);
    await forkOf('f0', 'f1');
    await forkOf('f1', 'f2');
    await forkOf('f2', 'f3');
    const events = vi.spyOn(lab.store, 'events');
    const history = await loadHistory(lab.store, refOf('f3'), { format: 'anthropic' });
    const read = events.mock.calls.flatMap(([{ session_id }, query]) =>
      query?.types?.includes('item.superseded') ? session_id : [],
    );
    expect(history.map(({ place }) => place?.session_id)).toEqual(['f3', 'f3']);
    expect([...new Set(read)]).toEqual(['f0', 'f1', 'f2', 'f3']);
  });

  it('ends where an erased id was taken again by a fork of its own fork', async () => {
    await lab.sync('f0', [user('Why does the build fail?')]);
    await forkOf('f0', 'f1');
    await lab.store.erase(refOf('f0'));
    await forkOf('f1', 'f0');
    const history = await loadHistory(lab.store, refOf('f1'), { format: 'anthropic' });
    expect(history).toHaveLength(1);
  });
});
