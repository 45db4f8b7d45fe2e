import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../bench/quality/conversation.ts';
import { greedyLines, headAndTail, namesOfText } from '../../../bench/quality/cuts-of-results.ts';
import { longResults, measureDigests } from '../../../bench/quality/measures/digests.ts';
import { countTokens } from '../../../bench/quality/tokens.ts';
import { call, conversation, said } from './session.ts';

const output = Array.from({ length: 60 }, (_, index) => `file_${index}.ts has name_${index} in it`);
output[30] = 'error: name_30 is not what it was';
const session = conversation(
  call('Bash', { command: 'make' }, output.join('\n')),
  said('I change name_3 and name_30 now.'),
  call('Bash', { command: 'echo ok' }, 'ok'),
);

function cleared(digest: string): Conversation {
  const calls = session.calls.map((one) =>
    one.result === null ? one : { ...one, result: { ...one.result, text: digest } },
  );
  return { ...session, calls };
}

describe('digests', () => {
  it.each([
    ['nothing', '[Old tool result content cleared]', [0, 0, 0, 0]],
    ['a line that quotes', '[60 lines]\n3: file_3.ts has name_3 in it', [1, 0, 1, 1]],
    ['all that is needed', `${output[3]}\n${output[30]}\n[58 lines left out]`, [2, 1, 2, 2]],
    ['a line that does not stand there', 'name_3 changes', [1, 0, 0, 1]],
  ])('that hold %s', (_, digest, expected) => {
    const results = longResults(session, cleared(digest));
    expect(results).toHaveLength(1);
    const { ours, quoted } = measureDigests(results);
    expect([ours.needed.found, ours.error_lines.found, quoted.found, quoted.of]).toEqual(expected);
    expect(ours.needed.of).toBe(2);
    expect(ours.tokens).toBe(countTokens(digest));
  });

  it('that are the original are no digests', () => {
    const { results, kept } = measureDigests(longResults(session, session));
    expect([results, kept]).toEqual([0, 1]);
  });
});

describe('cuts of the same size', () => {
  const text = output.join('\n');
  it.each([
    ['head and tail', headAndTail],
    ['names', namesOfText],
    ['lines by new names', greedyLines],
  ])('%s: at most so many tokens, and nearly as many', (_, cut) => {
    const tokens = countTokens(cut(text, 100));
    expect(tokens).toBeLessThanOrEqual(101);
    expect(tokens).toBeGreaterThan(85);
  });

  it('take the lines that bring the most new names', () => {
    const lines = ['fooBar fooBar', 'fooBar bazQux', 'nothing is named in this one', 'oneMore'];
    expect(greedyLines(lines.join('\n'), 6)).toBe('fooBar bazQux\noneMore');
  });
});
