import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageParts } from '../../../../src/domain/context/invariants/message-parts.ts';
import { reasoningGroups } from '../../../../src/domain/context/invariants/reasoning-groups.ts';
import { safeCuts } from '../../../../src/domain/context/invariants/safe-cuts.ts';
import { toolPairs } from '../../../../src/domain/context/invariants/tool-pairs.ts';
import { codecFor, FORMATS } from '../../../../src/domain/items/codecs.ts';
import type { Message, Normalised, Part } from '../../../../src/domain/items/item.ts';
import { BROKEN } from '../../../support/broken-invariants.ts';
import { cpuMs } from '../../../support/cpu-time.ts';
import { historyArbitrary } from '../../../support/generators.ts';

function message(role: Message['role'], parts: Part[], id?: string): Message {
  const flags = { is_meta: false, is_compact_summary: false, is_api_error_message: false };
  return { kind: 'message', role, parts, ...flags, ...(id !== undefined && { id }) };
}

/**
 * One word an item: `u` user text, `m` model text, `t` thinking, `h` thinking and text, `a-d` a call, `A-D` its result,
 * `s` a call that the model does not wait for, `S` its result, `p` progress; `:x` gives a model message the id x.
 */
function history(words: string): Normalised[] {
  return words.split(' ').filter(Boolean).map(itemOf);
}

function itemOf(word: string): Normalised {
  const [kind = '', id] = word.split(':');
  const text: Part = { kind: 'text', text: 'x' };
  if (kind === 'p') return { kind: 'progress' };
  if (kind === 'u') return message('user', [text]);
  if (kind === 'm') return message('assistant', [text], id);
  const thought: Part = { kind: 'thinking', text: '', source: '' };
  if (kind === 't') return message('assistant', [thought], id);
  if (kind === 'h') return message('assistant', [thought, text], id);
  if (/[A-DS]/.test(kind)) {
    const result = { call_id: kind.toLowerCase(), content: [], is_error: false };
    return message('user', [{ kind: 'tool_result', ...result }]);
  }
  const source = kind === 's' ? { async: true } : {};
  const call = { id: kind, name: 'f', input: {}, source };
  return message('assistant', [{ kind: 'tool_call', ...call }], id);
}

function allowed(cuts: readonly boolean[]): number[] {
  return cuts.flatMap((isAllowed, index) => (isAllowed ? [index] : []));
}

describe('tool pairs', () => {
  test.each([
    ['u m u', [0, 1, 2, 3]],
    ['u a A m', [0, 1, 3, 4]],
    ['u a b A B m', [0, 1, 5, 6]],
    ['u a u A m', [0, 1, 4, 5]],
    // open: nothing after it may be cut off
    ['u a', [0, 1]],
    ['u a b A', [0, 1]],
    ['u a u', [0, 1]],
    // abandoned: the model went on without the result
    ['u a u m', [0, 1, 2, 3, 4]],
    ['a a A m', [0, 1, 3, 4]],
    // not waited for: with the result at once as any other, else by itself
    ['u s S m', [0, 1, 3, 4]],
    ['u s', [0, 1]],
    ['u s u m u m S m', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['a a A A m', [0, 4, 5]],
    // a result before its call
    ['u A a m', [0, 1, 3, 4]],
    ['u A u m u a m', [0, 1, 6, 7]],
    ['u A B a b m', [0, 1, 5, 6]],
    // orphans bind nothing
    ['A u', [0, 1, 2]],
  ])('%s', (words, expected) => {
    expect(allowed(toolPairs(history(words)))).toEqual(expected);
  });

  test('the check names orphans and calls that nobody answered', () => {
    expect(BROKEN['tool-pairs'](history('u a u m B'))).toEqual([1, 4]);
    expect(BROKEN['tool-pairs'](history('u a A b'))).toEqual([]);
  });
});

describe('message parts', () => {
  test.each([
    ['m:1 m:1 m:2', [0, 2, 3]],
    ['t:1 p a:1 A m:2', [0, 3, 4, 5]],
    ['a:1 A b:1 B m:2', [0, 3, 4, 5]],
    ['m:1 u m:1', [0, 1, 2, 3]],
    ['m m', [0, 1, 2]],
  ])('%s', (words, expected) => {
    expect(allowed(messageParts(history(words)))).toEqual(expected);
  });

  test('the check names a message that goes on later', () => {
    expect(BROKEN['message-parts'](history('m:1 u m:1'))).toEqual([2]);
    expect(BROKEN['message-parts'](history('a:1 A b:1 B u m:2'))).toEqual([]);
  });
});

describe('reasoning groups', () => {
  test.each([
    ['u t m u', [0, 1, 3, 4]],
    ['u t a b A B', [0, 1, 4, 5, 6]],
    ['u m t a A', [0, 1, 2, 4, 5]],
    ['u t p m', [0, 1, 4]],
    ['u t u', [0, 1, 2, 3]],
    // one message in pieces
    ['u h m u', [0, 1, 3, 4]],
    ['u h a b A B', [0, 1, 4, 5, 6]],
    ['u h A a', [0, 1, 2, 3, 4]],
    ['u h u m', [0, 1, 2, 3, 4]],
  ])('%s', (words, expected) => {
    expect(allowed(reasoningGroups(history(words)))).toEqual(expected);
  });

  test('the check names reasoning that led to nothing, but not at the very end', () => {
    expect(BROKEN['reasoning-groups'](history('u t u'))).toEqual([1]);
    expect(BROKEN['reasoning-groups'](history('u t m u t'))).toEqual([]);
  });
});

describe.each(FORMATS)('safe cuts in %s', (format) => {
  const codec = codecFor(format);
  const histories = historyArbitrary(format).map((items) =>
    items.map((item) => codec.normalise(item)),
  );

  test('one answer per place, and nothing need ever be cut', () => {
    fc.assert(
      fc.property(histories, (items) => {
        const cuts = safeCuts(items);
        expect(cuts).toHaveLength(items.length + 1);
        expect(cuts[0]).toBe(true);
      }),
    );
  });

  test('no safe cut breaks a rule that held before', () => {
    fc.assert(
      fc.property(histories, (items) => {
        for (const [name, broken] of Object.entries(BROKEN)) {
          const before = broken(items).length;
          for (const cut of allowed(safeCuts(items))) {
            expect(broken(items.slice(cut)).length, name).toBeLessThanOrEqual(before);
          }
        }
      }),
    );
  });
});

test('a hundred thousand items are no problem', () => {
  const items = Array.from({ length: 20_000 }, () => history('u t a A m:1')).flat();
  const started = cpuMs();
  const cuts = safeCuts(items);
  expect(cpuMs() - started).toBeLessThan(3000);
  expect(cuts.filter(Boolean)).toHaveLength(60_001);
});

describe('a program that the provider runs', () => {
  const codec = codecFor('anthropic');
  const run = { type: 'server_tool_use', id: 's', name: 'code_execution', input: {} };
  const caller = { type: 'code_execution_20250825', tool_id: 's' };
  const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {}, caller });
  const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
  const done = { type: 'code_execution_tool_result', tool_use_id: 's', content: {} };
  const items = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: [run, call('a')] },
    { role: 'user', content: [answer('a')] },
    { role: 'assistant', content: [call('b')] },
    { role: 'user', content: [answer('b')] },
    { role: 'assistant', content: [done] },
    { role: 'user', content: 'And now?' },
  ].map((item) => codec.normalise(item));

  test('stays whole with the calls that it makes', () => {
    expect(allowed(safeCuts(items))).toEqual([0, 1, 6, 7]);
  });

  test('stays while it waits, until the user says something else', () => {
    expect(allowed(safeCuts(items.slice(0, 5)))).toEqual([0, 1]);
    const left = [...items.slice(0, 5), ...items.slice(6)];
    expect(allowed(safeCuts(left))).toEqual([0, 1, 5, 6]);
  });

  test('is not waited for where the model has gone on without it', () => {
    const own = { type: 'tool_use', id: 'c', name: 'f', input: {} };
    const left = [
      ...items.slice(0, 5),
      codec.normalise({ role: 'assistant', content: [own] }),
      codec.normalise({ role: 'user', content: [answer('c')] }),
    ];
    expect(allowed(safeCuts(left))).toEqual([0, 1, 5, 7]);
  });

  test('stays while pieces of the same turn follow, as after a pause', () => {
    const paused = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [run] },
      { role: 'assistant', content: [{ type: 'text', text: 'It runs.' }] },
    ].map((item) => codec.normalise(item));
    expect(allowed(safeCuts(paused))).toEqual([0, 1]);
  });
});
