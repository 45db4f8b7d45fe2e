import { expect, it } from 'vitest';
import { splitPassing } from '../../../src/domain/gateway/passing-context.ts';

/** How full the context is, which Strands tells behind what a tool has answered, and never again. */
const used = (tokens: string) =>
  `\n\n<context-status>\n<used>${tokens} / 200,000 tokens (1.5%)</used>\n<remaining>~196,000 tokens</remaining>\n</context-status>`;
const words = { type: 'input_text', text: 'Mend the parser.' };
const status = { type: 'input_text', text: used('3,317') };
const asked = { role: 'user', content: [words] };
const result = { type: 'function_call_output', call_id: 'a', output: 'made' };
const passing = { role: 'user', content: [status] };

it('is none of the history by Chat Completions and Responses', () => {
  for (const protocol of ['chat', 'responses'] as const) {
    const split = splitPassing(protocol, [asked, result, passing]);
    expect(split).toEqual({ lasting: [asked, result], passing: [passing] });
  }
});

it('stays where the user has said something beside it', () => {
  const history = [{ role: 'user', content: [words, status] }];
  expect(splitPassing('responses', history)).toEqual({ lasting: history, passing: [] });
});
