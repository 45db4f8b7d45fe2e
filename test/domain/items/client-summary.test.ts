import { describe, expect, it } from 'vitest';
import { answeredSummary, asksForSummary } from '../../../src/domain/items/client-summary.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Json } from '../../../src/domain/json.ts';

const codec = codecFor('anthropic');
const text = (said: string) => ({ type: 'text', text: said });
const call = { type: 'tool_use', id: 't1', name: 'bash', input: {} };
const message = (role: string, content: Json) => codec.normalise({ role, content });
const QUESTION = 'What did we do so far?';
const SURROUNDINGS =
  '\n\n<environment_details>\nWorking directory: /home/user/project\n</environment_details>';

describe('the question that a client puts before its summary', () => {
  it.each<[string, Json, boolean]>([
    ['alone', QUESTION, true],
    ['beside what the program tells', [text(QUESTION), text(SURROUNDINGS)], true],
    ['with more of the user', [text(QUESTION), text('And what is next?')], false],
    ['as a part of another', `${QUESTION} I forgot.`, false],
    ['only what the program tells', SURROUNDINGS, false],
  ])('%s', (_, content, isAsked) => {
    expect(asksForSummary(message('user', content))).toBe(isAsked);
  });

  it('is not of the model', () => {
    expect(asksForSummary(message('assistant', QUESTION))).toBe(false);
  });
});

describe('its answer', () => {
  it.each<[string, Json, string | null]>([
    ['alone', 'We built it.', 'We built it.'],
    ['before the next answer', [text('We built it.'), text('Looking.'), call], 'We built it.'],
    ['a call with its words, which is the next answer itself', [text('Looking.'), call], null],
    ['a call', [call], null],
  ])('%s', (_, content, summary) => {
    expect(answeredSummary(message('assistant', content))).toBe(summary);
  });
});
