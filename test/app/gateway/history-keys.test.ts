import { expect, it } from 'vitest';
import { HistoryKeys, noHistory } from '../../../src/app/gateway/history-keys.ts';
import type { Item } from '../../../src/domain/items/item.ts';

const FORMAT = 'openai-chat';

const keysOf = (items: readonly Item[]) =>
  new HistoryKeys(FORMAT, noHistory('here', FORMAT)).add(items).keys();

/** So many calls, of which the results of the first are cleared. */
function task(calls: number, cleared: number): Item[] {
  const rounds = Array.from({ length: calls }, (_, index): Item[] => {
    const id = `call_${index}`;
    const call = { id, type: 'function', function: { name: 'read', arguments: '{}' } };
    const content = index < cleared ? '[cleared]' : `What log ${index} says.`;
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content },
    ];
  });
  return [{ role: 'user', content: 'Read the logs.' }, ...rounds.flat()];
}

it('a long history of a client that clears its own results is known by how it begins', () => {
  const [first] = keysOf(task(1, 0));
  expect(keysOf(task(2_000, 1_990))).toContain(first);
});

it('under a new name it goes on by its end, and not by how it begins', () => {
  const [first] = keysOf(task(1, 0));
  const newest = new HistoryKeys(FORMAT, noHistory('here', FORMAT)).add(task(2_000, 0)).newest();
  expect(newest).not.toContain(first);
  expect(keysOf(task(2_000, 0)).slice(0, newest.length)).toEqual(newest);
});

it('looks up a few hundred places at most, the newest first and each once', () => {
  const history = task(2_000, 0);
  const keys = keysOf(history);
  expect(keys.length).toBeLessThan(600);
  expect(new Set(keys).size).toBe(keys.length);
  const [newest] = keysOf(history.slice(0, -1));
  expect(keys[0]).toBe(newest);
});

it('without an answer there is no place', () => {
  expect(keysOf([{ role: 'system', content: 'Be brief.' }, ...task(0, 0)])).toEqual([]);
});
