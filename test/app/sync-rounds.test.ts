import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { assistant, text, user } from '../support/items.ts';
import { SyncLab } from '../support/sync-lab.ts';

/** Clients that tell calls made at once one by one, such as Mastra's memory from the next turn on. */

let lab: SyncLab;
beforeEach(async () => {
  lab = await SyncLab.open();
});
afterEach(() => lab.close());

const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } });
const turn = (at: number): Item[] => [
  user(`Question ${at}`),
  assistant([text(`Let me look, ${at}.`), call(`a${at}`), call(`b${at}`)]),
  user([...results(`a${at}`), ...results(`b${at}`)]),
  assistant(`Answer ${at}`),
];
const results = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: `made ${id}` }];
const oneByOne = (at: number): Item[] => [
  user(`Question ${at}`),
  assistant([text(`Let me look, ${at}.`), call(`a${at}`)]),
  user(results(`a${at}`)),
  assistant([call(`b${at}`)]),
  user(results(`b${at}`)),
  assistant(`Answer ${at}`),
];

it('knows calls made at once that are told one by one', async () => {
  await lab.sync('s', turn(0));
  const second = await lab.sync('s', [...oneByOne(0), ...turn(1)]);
  expect(second).toMatchObject({ session_id: 's', divergence: null, matched: 6, appended: 4 });
  const third = await lab.sync('s', [...oneByOne(0), ...oneByOne(1), user('And now?')]);
  expect(third).toMatchObject({ session_id: 's', divergence: null, matched: 12, appended: 1 });
  expect(await lab.items('s')).toEqual([...turn(0), ...turn(1), user('And now?')]);
  expect((await lab.store.verify()).problems).toEqual([]);
});

it('takes back an answer that is not told', async () => {
  await lab.sync('s', turn(0));
  const untold = [...oneByOne(0).slice(0, -1), user('Never mind.')];
  const synced = await lab.sync('s', untold);
  expect(synced).toMatchObject({ session_id: 's', divergence: null, matched: 5, appended: 1 });
  expect(synced.superseded).toHaveLength(1);
});

it('takes other words before them for another past', async () => {
  await lab.sync('s', turn(0));
  const edited = await lab.sync('s', [user('Another question'), ...oneByOne(0).slice(1)]);
  expect(edited.divergence).not.toBeNull();
});
