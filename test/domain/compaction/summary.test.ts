import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanSummary,
  extractSummaryText,
  formatSummary,
} from '../../../src/domain/compaction/summary.ts';
import { cpuMs } from '../../support/cpu-time.ts';

describe('extractSummaryText', () => {
  it.each([
    ['both parts', '<analysis>a</analysis><summary>s</summary>'],
    ['summary only', '<summary>s</summary>'],
    ['no tags', 'Just a summary.'],
    ['an unclosed summary', '<analysis>a</analysis>\n<summary>\ns'],
    ['an unclosed analysis before a summary', '<analysis>a\n<summary>s</summary>'],
    ['text without tags after the analysis', '<analysis>a</analysis>\nThe summary.'],
    ['an analysis that mentions the tag', '<analysis>in <summary> tags</analysis> The summary.'],
    ['a summary inside the analysis', '<analysis>a <summary>s</summary></analysis>'],
    ['an error that is only mentioned', '<summary>The API Error was fixed.</summary>'],
  ])('accepts %s', (_name, answer) => {
    expect(extractSummaryText(answer)).toEqual({ ok: true, text: answer });
  });

  it.each([
    ['nothing', '', 'no_summary'],
    ['blanks', ' \n\t', 'no_summary'],
    ['only an analysis', '<analysis>a</analysis>\n', 'no_summary'],
    ['only an unclosed analysis', '<analysis>a', 'no_summary'],
    ['an empty summary', '<analysis>a</analysis><summary> \n </summary>', 'no_summary'],
    ['a summary tag and nothing else', '<summary>', 'no_summary'],
    ['only thinking', '<think>hm', 'no_summary'],
    ['a provider error', 'API Error: 529 overloaded', 'api_error'],
    ['a marked provider error', ' API_ERROR: broken', 'api_error'],
  ])('finds no summary in %s', (_name, answer, reason) => {
    expect(extractSummaryText(answer)).toEqual({ ok: false, reason });
  });

  it('drops thinking in front of the answer', () => {
    expect(extractSummaryText('<think>hm <summary></think>\n<summary>s</summary>')).toEqual({
      ok: true,
      text: '<summary>s</summary>',
    });
  });
});

describe('cleanSummary', () => {
  it.each([
    ['<analysis>\na\n</analysis>\n\n<summary>\ns\n</summary>', 'Analysis:\na\n\nSummary:\ns'],
    ['<summary>s</summary>\n<analysis>a</analysis>', 'Summary:\ns\nAnalysis:\na'],
    ['<analysis>a <summary>s</summary>', 'Analysis:\na\nSummary:\ns'],
    ['<analysis>a</analysis>\n<summary>s', 'Analysis:\na\nSummary:\ns'],
    ['<analysis>a <summary>s</summary></analysis>', 'Analysis:\na\nSummary:\ns'],
    ['<analysis>in <summary> tags</analysis>\nText.', 'Analysis:\nin <summary> tags\nText.'],
    ['Here it is:\n<summary>s</summary>\nDone.', 'Here it is:\nSummary:\ns\nDone.'],
    [
      '<summary>the tags <analysis> and </summary> as text</summary>',
      'Summary:\nthe tags <analysis> and </summary> as text',
    ],
    ['  a\n\n\n\nb\n \t\n\n  c  ', 'a\n\nb\n\n  c'],
  ])('turns %j into %j', (raw, cleaned) => {
    expect(cleanSummary(raw, true)).toBe(cleaned);
  });

  it.each([
    ['<analysis>a</analysis>\n<summary>s</summary>', 'Summary:\ns'],
    ['<analysis>a <summary>s</summary>', 'Summary:\ns'],
    ['<summary>s</summary>', 'Summary:\ns'],
    ['plain', 'plain'],
  ])('leaves the analysis out of %j', (raw, cleaned) => {
    expect(cleanSummary(raw, false)).toBe(cleaned);
  });

  it('has no two blank lines in a row, keeps every other line, and is stable', () => {
    const line = fc.constantFrom('', '  ', '\t', 'text', '  indented', '- point');
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const cleaned = cleanSummary(lines.join('\n'), true);
        expect(cleaned).not.toMatch(/\n\s*\n\s*\n/);
        const words = (text: string) => text.split('\n').flatMap((each) => each.trim() || []);
        expect(words(cleaned)).toEqual(words(lines.join('\n')));
        expect(cleanSummary(cleaned, true)).toBe(cleaned);
      }),
    );
  });

  it.each([
    ['opening tags', '<analysis>'.repeat(400_000)],
    ['summary tags', '<summary>'.repeat(400_000)],
    ['blank lines', '\n'.repeat(4_000_000)],
    ['blanks in lines', `${' \t'.repeat(1_000_000)}\n`.repeat(2)],
    ['alternating tags', '<analysis></summary><summary></analysis>'.repeat(100_000)],
  ])('takes megabytes of %s in linear time', (_name, raw) => {
    const start = cpuMs();
    extractSummaryText(raw);
    cleanSummary(raw, true);
    // Linear work takes a tenth of this; anything quadratic would take minutes.
    expect(cpuMs() - start).toBeLessThan(5_000);
  });
});

describe('formatSummary', () => {
  const start =
    'This session is being continued from a previous conversation that ran out of context.';
  const goOn =
    '\nPlease continue the conversation from where we left it off without asking the user any further questions. Continue with the last task that you were asked to work on.';

  it.each([
    ['lines', false, `${start}\nThe conversation is summarized below:\nSummary:\ns`],
    ['lines', true, `${start}\nThe conversation is summarized below:\nSummary:\ns${goOn}`],
    ['claude-code', false, `${start} The conversation is summarized below:\nSummary:\ns.`],
    ['claude-code', true, `${start} The conversation is summarized below:\nSummary:\ns.${goOn}`],
  ] as const)('style %s, automatic %s', (style, automatic, text) => {
    expect(formatSummary('Summary:\ns', { style, automatic })).toBe(text);
  });
});
