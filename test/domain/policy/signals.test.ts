import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Attachment, ToolCall, ToolResult } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import {
  completedSteps,
  hasSucceeded,
  textBoundaries,
} from '../../../src/domain/policy/signals.ts';

const config = profileConfig('rawr', 200_000);

function callOf(input: Json, name = 'Bash'): ToolCall {
  return { kind: 'tool_call', id: 'c', name, input, source: null };
}

describe('hasSucceeded', () => {
  function resultOf(text: string, is_error = false): ToolResult {
    return { kind: 'tool_result', call_id: 'c', content: [{ kind: 'text', text }], is_error };
  }

  test.each([
    ['', true],
    ['[main 1a2b3c] Fix the build', true],
    ['Exit code: 0\nOutput:\nok', true],
    ['Chunk ID: 1\nProcess exited with code 0\nOutput:\n', true],
    ['{"output":"ok","metadata":{"exit_code":0}}', true],
    ['<returncode>0</returncode>', true],
    ['[main 1a2b3c] Return exit code 2 on errors', true],
    ['Exit code: 1\nOutput:\nnothing to commit', false],
    ['Exit code 128\nfatal: not a git repository', false],
    ['Wall time: 1 s\nProcess exited with code 1\nOutput:\n', false],
    ['{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}', false],
    ['<returncode>-1</returncode>', false],
    ['[main 1a2b3c] Say when it exited with code 3', true],
    ['nothing to commit\nProcess exited with code 1', false],
  ])('%j: %s', (text, expected) => {
    expect(hasSucceeded(resultOf(text))).toBe(expected);
  });

  it('looks at the head and the end of a long output', () => {
    const log = 'a line of the log\n'.repeat(1_000);
    expect(hasSucceeded(resultOf(`${log}Exit code: 1\n${log}`))).toBe(true);
    expect(hasSucceeded(resultOf(`Exit code: 1\n${log}`))).toBe(false);
    expect(hasSucceeded(resultOf(`${log}Exit code: 1`))).toBe(false);
  });

  it('is false for an error, whatever it says', () => {
    expect(hasSucceeded(resultOf('Exit code: 0', true))).toBe(false);
  });
});

describe('completedSteps', () => {
  const steps = (...done: string[]) => done.map((status, n) => ({ step: `step ${n}`, status }));

  test.each(config.signal_plan_tools)('counts the steps of %s', (name) => {
    const todos = steps('completed', 'in_progress', 'pending', 'completed');
    expect(completedSteps(callOf({ todos }, name), config)).toBe(2);
    expect(completedSteps(callOf({ todos }, name.toUpperCase()), config)).toBe(2);
  });

  test.each<[string, Json, number]>([
    ['a plan', { plan: steps('completed', 'pending') }, 1],
    ['a plan in words', { plan: '- [x] one\n- [ ] two\n- [x] three' }, 2],
    ['plain text', '- [x] one', 1],
    ['nothing', {}, 0],
  ])('counts those of %s', (_, input, expected) => {
    expect(completedSteps(callOf(input, 'update_plan'), config)).toBe(expected);
  });

  it('is null for other tools', () => {
    expect(completedSteps(callOf({ plan: steps('completed') }, 'plan_trip'), config)).toBeNull();
  });

  const attachment: Attachment = {
    kind: 'attachment',
    attachment: 'todo',
    text: JSON.stringify([{ content: 'a', status: 'completed' }]),
    is_empty: false,
  };

  it('counts those of a todo attachment, and of no other', () => {
    expect(completedSteps(attachment, config)).toBe(1);
    expect(completedSteps({ ...attachment, is_empty: true, text: '' }, config)).toBeNull();
    expect(completedSteps({ ...attachment, attachment: 'file' }, config)).toBeNull();
  });
});

describe('textBoundaries', () => {
  test.each(config.signal_agent_done)('"%s" is agent_done', (phrase) => {
    expect(textBoundaries(`It is ${phrase.toUpperCase()}!`, config)).toEqual(['agent_done']);
    expect(textBoundaries(phrase, config)).toEqual(['agent_done']);
  });

  test.each(config.signal_agent_done_unless)('"%s" is not agent_done', (phrase) => {
    expect(textBoundaries(`One is done, the other is ${phrase}.`, config)).toEqual([]);
  });

  test.each(config.signal_topic_shift)('"%s" is topic_shift', (phrase) => {
    expect(textBoundaries(`Good. ${phrase.toUpperCase()} the parser`, config)).toEqual([
      'topic_shift',
    ]);
  });

  test.each(config.signal_concluding_thought)('"%s" is concluding_thought', (phrase) => {
    expect(textBoundaries(`${phrase}: all of it`, config)).toEqual(['concluding_thought']);
  });

  test.each([
    ['The unfinished part was abandoned.'],
    ['The next update comes tomorrow.'],
    ['It is being moved on to the list'],
    ['undone'],
    [''],
  ])('"%s" is nothing', (text) => {
    expect(textBoundaries(text, config)).toEqual([]);
  });

  it('finds a phrase after a longer word that begins like it', () => {
    expect(textBoundaries('abandoned, but done', config)).toEqual(['agent_done']);
  });

  it('takes a typographic apostrophe for a plain one', () => {
    expect(textBoundaries('Now let’s see', config)).toEqual(['topic_shift']);
    expect(textBoundaries('we’ll now see', config)).toEqual(['topic_shift']);
  });

  it('finds several at once', () => {
    const text = 'All tests pass, the fix is done. Moving on. Next steps: deploy.';
    expect(textBoundaries(text, config)).toEqual([
      'topic_shift',
      'agent_done',
      'concluding_thought',
    ]);
  });

  it('takes the phrases from the configuration', () => {
    const own = { ...config, signal_agent_done: ['Fertig'], signal_topic_shift: ['(weiter)'] };
    expect(textBoundaries('fertig (WEITER) done', own)).toEqual(['topic_shift', 'agent_done']);
  });

  it('reads a million characters without going over them again and again', () => {
    const text = 'donedone '.repeat(111_111);
    expect(textBoundaries(text, config)).toEqual([]);
  });

  it('never throws, and finds nothing where no phrase stands', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'ö', ' ', '.', '’', '👩‍👩‍👧') });
    fc.assert(fc.property(letters, (text) => textBoundaries(text, config).length === 0));
  });
});
