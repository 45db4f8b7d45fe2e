import type { Item } from '../src/domain/items/item.ts';

const WORDS =
  'the session keeps every event of its log so that a context can be computed again at any version ' +
  'while files such as src/store.ts and test/store.test.ts change and errors like E1042 are fixed ';

/** Text of a given length that differs from item to item, as real messages do. */
function text(index: number, characters: number): string {
  const start = `Step ${index}: `;
  return (
    start + WORDS.repeat(Math.ceil(characters / WORDS.length)).slice(0, characters - start.length)
  );
}

/** The item that appends are measured with: about 1.5 KB as JSON. */
export function appendedItem(index: number): Item {
  return { role: 'user', content: text(index, 1_450) };
}

/** A conversation of short messages, user and assistant in turn. */
export function dialogue(items: number, characters = 400): Item[] {
  return Array.from({ length: items }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: text(index, characters),
  }));
}

/** A conversation whose tokens are mostly results of file reads, 4 KB each. */
export function toolSession(calls: number): Item[] {
  return Array.from({ length: calls }, (_, index): Item[] => {
    const id = `toolu_${index}`;
    const input = { file_path: `src/module-${index}.ts` };
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: text(index, 4_000) }],
      },
    ];
  }).flat();
}
