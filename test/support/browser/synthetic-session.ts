import type { Item } from '../../../src/domain/items/item.ts';
import { assistant, call, result, user } from '../items.ts';

const FILES = ['parser', 'lexer', 'printer', 'cli', 'config', 'cache', 'server', 'router'];

/** A made-up session of an agent that repairs a parser: enough for several compactions of a small window. */
export function syntheticSession(rounds = 40): Item[] {
  const items: Item[] = [
    user(
      'The nightly build fails since yesterday. Find out why, and always run the tests before you say it works.',
    ),
  ];
  for (let round = 0; round < rounds; round++) {
    const file = `src/${FILES[round % FILES.length]}.ts`;
    items.push(
      assistant(`Step ${round + 1}: I look at ${file} and how it handles empty input.`),
      call(`read-${round}`, 'Read', { file_path: file }),
      result(`read-${round}`, sourceOf(file, round)),
    );
    if (round % 4 === 3) {
      const old_string = `const limit${round} = 10;`;
      items.push(
        call(`edit-${round}`, 'Edit', {
          file_path: file,
          old_string,
          new_string: `const limit${round} = 20;`,
        }),
        result(`edit-${round}`, `The file ${file} has been updated.`),
        call(`test-${round}`, 'Bash', { command: 'npm test' }),
        result(
          `test-${round}`,
          round % 8 === 3
            ? `FAIL test/${file}\nError: E_CONN_${round} expected 20, got 10\n1 failed, 41 passed`
            : '42 passed',
        ),
      );
    }
    if (round % 10 === 9)
      items.push(user(`Good. What about step ${round + 2}? Keep the public API as it is.`));
  }
  return [
    ...items,
    assistant('The build is green again: the limit was read before the configuration.'),
  ];
}

function sourceOf(file: string, round: number): string {
  const lines = Array.from(
    { length: 60 },
    (_, line) => `${line + 1}\texport const value${round}x${line} = compute(${line}, "${file}");`,
  );
  return [...lines, `61\tconst limit${round} = 10;`].join('\n');
}
