import { describe, expect, it } from 'vitest';
import { checkSummary } from '../../src/domain/compaction/summary-check.ts';
import { codecFor } from '../../src/domain/items/codecs.ts';
import { userWordsByItem } from '../../src/domain/items/user-words.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { call, result } from '../support/items.ts';

const anthropic = codecFor('anthropic');

function check(answer: string, asked = 'Write a summary.'): void {
  checkSummary(answer, {
    template: 'nine-sections',
    has_instructions: true,
    asked,
    covered_tokens: 1_000_000,
    is_cut_off: false,
    count: (text) => Math.ceil(text.length / 4),
  });
}

function words(name: string, input: JsonObject, content: string): void {
  userWordsByItem([call('c', name, input), result('c', content)].map(anthropic.normalise));
}

const ask = (text: string) => words('AskUserQuestion', { questions: [] }, text);

/** What holds a run that a pattern for the end of a text could begin at again and again. */
const TEXTS: [string, (run: string) => void][] = [
  ['the answer of a model', (run) => check(`Summary: x${run}x`)],
  ['the instructions for it', (run) => check('A summary of it. '.repeat(9), `a${run}b`)],
  ['an answer of the user', (run) => ask(`User has answered your questions: x${run}x`)],
  ['an answer in tags', (run) => ask(`<answer>x${run}x`)],
  [
    'feedback in tags',
    (run) => words('Bash', {}, `The user denied this operation.\n<feedback>x${run}x`),
  ],
  [
    'the note after a refusal',
    (run) =>
      words(
        'Bash',
        {},
        "The user doesn't want to proceed with this tool use. the user said:\nno" +
          `\n\nNote: The user's next message may contain a correction${run}\nx`,
      ),
  ],
];

const SIZE = 4_000;

/** The least of three: others use the machine as well. */
function timeOf(run: () => void): number {
  const times = [0, 1, 2].map(() => {
    const started = cpuMs();
    run();
    return cpuMs() - started;
  });
  return Math.min(...times);
}

describe('I1: runs of dots, blanks and stars', () => {
  it.each(TEXTS)('%s takes linear time', { timeout: 120_000 }, (_, read) => {
    for (const sign of ['.', ' ', '*', '\t', ':', ')']) {
      const one = timeOf(() => read(sign.repeat(SIZE)));
      const eight = timeOf(() => read(sign.repeat(8 * SIZE)));
      expect(eight, `a run of ${JSON.stringify(sign)}`).toBeLessThan(24 * one + 30);
    }
  });
});
