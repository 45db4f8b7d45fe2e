import { describe, expect, it } from 'vitest';
import { textCandidate } from '../../../bench/quality/candidate.ts';
import { measureRequests } from '../../../bench/quality/measures/requests.ts';
import { ownWords, userMessages } from '../../../bench/quality/user-messages.ts';
import { conversation, said, user } from './session.ts';

const FIRST = 'Please move the parser into a package of its own and keep its tests';
const SECOND = 'yes, do that';
const THIRD = 'Then write down in the readme how it is built';
const messages = [FIRST, SECOND, THIRD].map((text, item) => ({ text, item }));

function shares(context: string) {
  const { by_opening, by_words, in_order } = measureRequests(messages, textCandidate(context));
  return [by_opening.found, by_words.found, in_order.found];
}

describe('requests', () => {
  it.each([
    ['all, in order', `${FIRST}\n${SECOND}\n${THIRD}`, [3, 3, 3]],
    ['other case, white space and quotes', `- User: "${FIRST.toUpperCase()}"`, [1, 1, 1]],
    ['the first 40 characters are enough', `${FIRST.slice(0, 42)}…`, [1, 0, 1]],
    [
      'the words without their order are the other figure',
      'package parser tests own keep move into please',
      [0, 1, 0],
    ],
    ['backwards', `${THIRD}\n${SECOND}\n${FIRST}`, [3, 3, 1]],
    [
      'a short message inside other words is not recognised',
      'oh yes, do that again and again',
      [0, 1, 0],
    ],
    ['a short message by itself is', '- User: yes, do that\n- next', [1, 1, 1]],
  ])('%s', (_, context, expected) => {
    expect(shares(context)).toEqual(expected);
  });

  it('count what was said twice once', () => {
    const twice = [...messages, { text: FIRST, item: 9 }];
    expect(measureRequests(twice, textCandidate('')).by_opening.of).toBe(3);
  });
});

describe('messages of the user', () => {
  it.each([
    ['Fix the bug', 'Fix the bug'],
    ['<system-reminder>be brief</system-reminder>\nFix the bug', 'Fix the bug'],
    ['<task-notification>done</task-notification>\nFull transcript available at: /tmp/a', ''],
    [
      '<command-name>/review</command-name><command-args>the last commit</command-args>',
      '/review the last commit',
    ],
    ['<command-name>/clear</command-name><command-args></command-args>', ''],
    ['# AGENTS.md instructions for /app\n<INSTRUCTIONS>Use tabs</INSTRUCTIONS>', ''],
    ['[Request interrupted by user]', ''],
    ['<div>why is this not centred</div>', '<div>why is this not centred</div>'],
  ])('%s', (text, own) => {
    expect(ownWords(text)).toBe(own);
  });

  it('come from the role user alone', () => {
    const session = conversation(user('Fix the bug'), said('Fixed.'));
    expect(userMessages(session)).toEqual([{ text: 'Fix the bug', item: 0 }]);
  });
});
