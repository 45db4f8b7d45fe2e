import { describe, expect, it } from 'vitest';
import { remembering, rememberingLast, rememberingWords } from '../../src/domain/remember.ts';

describe('what was answered once', () => {
  it('is not worked out again for the same object, whatever the answer was', () => {
    const asked: string[] = [];
    const answer = remembering(({ name }: { name: string }) => {
      asked.push(name);
      return name === 'nothing' ? undefined : name.length;
    });
    const [one, none] = [{ name: 'one' }, { name: 'nothing' }];
    expect([answer(one), answer(one), answer(none), answer(none)]).toEqual([
      3,
      3,
      undefined,
      undefined,
    ]);
    expect([answer({ name: 'one' }), asked]).toEqual([3, ['one', 'nothing', 'one']]);
  });

  it('is not worked out again for the same word, as long as there are few and they are short', () => {
    let asked = 0;
    const answer = rememberingWords((word) => {
      asked++;
      return word.length;
    });
    expect([answer('Bash'), answer('Bash'), asked]).toEqual([4, 4, 1]);
    for (let index = 0; index < 1_000; index++) answer(`tool ${index}`);
    expect([answer('Bash'), asked]).toEqual([4, 1_002]);
    const long = 'x'.repeat(101);
    expect([answer(long), answer(long), asked]).toEqual([101, 101, 1_004]);
  });
});

it('the newest answer is kept, and no other', () => {
  const asked: string[] = [];
  const length = rememberingLast((text) => {
    asked.push(text);
    return text.length;
  });
  expect(['one', 'one', 'three', 'one'].map(length)).toEqual([3, 3, 5, 3]);
  expect(asked).toEqual(['one', 'three', 'one']);
});
