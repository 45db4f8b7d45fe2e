import { describe, expect, it } from 'vitest';
import { textCandidate } from '../../../bench/quality/candidate.ts';
import {
  measureConstraints,
  measureStatements,
  rulesSaid,
  statementsOf,
} from '../../../bench/quality/measures/constraints.ts';
import { probesOf } from '../../../bench/quality/probes.ts';

const RULE = 'Always mention package versions whenever dependencies change';
const probes = probesOf(
  {
    instruction_following: [
      { instruction_being_tested: RULE },
      { instruction_being_tested: 'Never ever use tables anywhere' },
    ],
    temporal_reasoning: [{ source_chat_ids: { first: [0], second: [1, 2] } }],
  },
  [
    {
      turns: [
        [
          { role: 'user', id: 0, content: 'My sprint ends on Friday' },
          { role: 'assistant', id: 1, content: 'Good' },
        ],
        [{ role: 'user', id: 2, content: `${RULE}, please` }],
      ],
    },
  ],
);
const said = ['My sprint ends on Friday', `${RULE}, please`].map((text, item) => ({ text, item }));

describe('constraints', () => {
  const rules = rulesSaid(probes, said);

  it('are the rules that the messages of the user say themselves', () => {
    expect(rules).toEqual([RULE]);
  });

  it.each([
    ['word by word', RULE, 1],
    ['six of seven words in any order', 'mention versions package always whenever dependencies', 1],
    ['five of seven', 'mention versions package always whenever', 0],
    [
      'too far apart',
      `always mention package ${'x '.repeat(200)} versions whenever dependencies change`,
      0,
    ],
  ])('%s', (_, context, found) => {
    expect(measureConstraints(rules, textCandidate(context))).toEqual({ found, of: 1 });
  });
});

describe('statements', () => {
  it('are what the user said where the other answers stand', () => {
    const statements = statementsOf(probes);
    expect(statements).toEqual(['My sprint ends on Friday', `${RULE}, please`]);
    expect(measureStatements(statements, textCandidate('- my sprint ends on friday'))).toEqual({
      found: 1,
      of: 2,
    });
  });
});
