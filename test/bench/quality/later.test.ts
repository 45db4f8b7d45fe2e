import { describe, expect, it } from 'vitest';
import { candidateOf, textCandidate } from '../../../bench/quality/candidate.ts';
import {
  measureNeeded,
  measureWithoutIndex,
  neededLater,
} from '../../../bench/quality/measures/needed-later.ts';
import { nextFile, rankFromEnd, rankOf } from '../../../bench/quality/measures/next-action.ts';
import { isNamedAsOpen, openRequest } from '../../../bench/quality/measures/open-request.ts';
import { call, conversation, said, user } from './session.ts';

const covered = conversation(
  user('Rename fooBar in store.ts and leave queue.ts alone'),
  call('Bash', { command: 'grep -rn fooBar src' }, 'src/store.ts: fooBar\nsrc/queue.ts: barFoo'),
);
const later = conversation(
  call('Bash', { command: 'cat src/other.ts' }, ''),
  call(
    'Edit',
    { file_path: '/app/src/store.ts', old_string: 'fooBar', new_string: 'newName' },
    'ok',
  ),
  said('fooBar is gone from store.ts.'),
);

describe('needed later', () => {
  const keys = neededLater(covered, later);

  it('are the names that the assistant writes afterwards and had met', () => {
    expect(keys.sort()).toEqual(['fooBar', 'store.ts']);
  });

  it.each([
    ['everywhere', 'fooBar and src/store.ts', 2, 2],
    ['in the index only', '## Work\nsomething\n\n## Names\nfooBar\nstore.ts', 2, 0],
    ['an index ends at a heading', '## Names\nfooBar\n## Next\nstore.ts', 2, 1],
    ['or at a blank line', '## Index of names\nfooBar\n\nstore.ts', 2, 1],
    ['as a part of other words not at all', 'fooBarBaz restore.ts', 0, 0],
  ])('%s', (_, context, found, without) => {
    expect(measureNeeded(keys, textCandidate(context)).found).toBe(found);
    expect(measureWithoutIndex(keys, textCandidate(context)).found).toBe(without);
  });
});

describe('next action', () => {
  it('is the first file of a call that was met before', () => {
    expect(nextFile(covered, later)).toBe('store.ts');
    expect(nextFile(conversation(user('hello')), later)).toBeNull();
  });

  it.each([
    ['a.ts b.ts store.ts c.ts store.ts', 3, 1],
    ['fooBar `src/store.ts`', 1, 1],
    ['a.ts', null, null],
  ])('has the rank of its first mention among the files: %s', (context, rank, fromEnd) => {
    expect(rankOf('store.ts', textCandidate(context))).toBe(rank);
    expect(rankFromEnd('store.ts', textCandidate(context))).toBe(fromEnd);
  });
});

describe('open request', () => {
  const request = 'Rename fooBar in store.ts and leave queue.ts alone';
  const open = openRequest(covered, later);

  it('is the last message of the user when the assistant goes on', () => {
    expect(open?.text).toBe(request);
    expect(openRequest(covered, conversation(user('never mind')))).toBeNull();
    expect(openRequest(covered, conversation())).toBeNull();
  });

  it.each([
    ['a label before it', `- User, latest request: ${request}`, true],
    ['a heading before it', `## Open request\n${request}`, true],
    ['only among all messages', `- User: ${request}\n- User: something else`, false],
    ['not at all', '- latest request: something else', false],
  ])('is named as such: %s', (_, context, isNamed) => {
    if (open === null) throw new Error('nothing is open');
    expect(isNamedAsOpen(open, textCandidate(context))).toBe(isNamed);
  });

  it('is named by standing as the last message of the user', () => {
    if (open === null) throw new Error('nothing is open');
    expect(isNamedAsOpen(open, candidateOf(covered.passages))).toBe(true);
  });
});
