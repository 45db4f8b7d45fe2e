import { describe, expect, test } from 'vitest';
import { syntheticSession } from '../../bench/peer-runs/synthetic.ts';
import { type Message, tokensOf, unpaired } from '../../bench/peers/message.ts';

const pairing = (message: Message) => ({
  calls: message.role === 'assistant' ? message.calls.map(({ id }) => id) : [],
  result: message.role === 'tool' ? message.call_id : null,
});

describe('what contexts are checked for', () => {
  test('a result without its call, a call without its result, and a result before its call', () => {
    const call = { calls: ['a'], result: null };
    const result = { calls: [], result: 'a' };
    expect(unpaired([call, result])).toBe(0);
    expect(unpaired([result])).toBe(1);
    expect(unpaired([call])).toBe(1);
    expect(unpaired([result, call])).toBe(2);
    expect(unpaired([call, result, result])).toBe(1);
  });
});

describe('the synthetic session', () => {
  test('is whole turns that providers take, with more text than they can compact away', () => {
    const session = syntheticSession(400);
    expect(session).toHaveLength(400);
    expect(unpaired(session.map(pairing))).toBe(0);
    expect(session.filter(({ role }) => role === 'tool')).toHaveLength(100);
    expect(session.reduce((sum, message) => sum + tokensOf(message), 0)).toBeGreaterThan(100_000);
  });

  test('is the same in every run, and no text in it is another one', () => {
    expect(syntheticSession(40)).toEqual(syntheticSession(40));
    const texts = syntheticSession(40).flatMap(({ text }) => (text === '' ? [] : [text]));
    expect(new Set(texts).size).toBe(texts.length);
  });
});
