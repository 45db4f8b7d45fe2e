import type { z } from 'zod';

/**
 * For `safeParse` where somebody reads what is wrong: zod's own words tell of types and of `undefined`,
 * which who sends JSON or writes a file does not know. Words that a schema brings itself stay.
 */
export const IN_PLAIN_WORDS = { error: issueWords };

/** What a value has to be; undefined leaves it to zod. */
function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  const must = mustOf(issue);
  if (must === null) return undefined;
  return issue.input === undefined ? `is missing: ${must}` : must;
}

function mustOf(issue: z.core.$ZodRawIssue): string | null {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = TYPES[issue.expected];
      if (expected === undefined) return null;
      const isList = expected === TYPES.object && Array.isArray(issue.input);
      return `must be ${expected}${isList ? ', not an array' : ''}`;
    }
    case 'invalid_value':
      return mustBeOneOf(issue.values.map(String));
    case 'too_small':
      return mustBe('at least', Number(issue.minimum), issue);
    case 'too_big':
      return mustBe('at most', Number(issue.maximum), issue);
    default:
      return null;
  }
}

const TYPES: Readonly<Record<string, string | undefined>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function mustBeOneOf(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`).join(', ');
  return `must be ${values.length === 1 ? '' : 'one of '}${quoted}`;
}

/** What is counted of a value that is too long or too short; of all others, how large they are. */
const COUNTED: Readonly<Record<string, readonly [one: string, many: string] | undefined>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function mustBe(
  words: 'at least' | 'at most',
  limit: number,
  {
    origin,
    inclusive,
    exact,
  }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>,
): string {
  const nouns = COUNTED[origin];
  if (nouns === undefined) {
    const beyond = words === 'at least' ? 'more than' : 'less than';
    return `must be ${inclusive === false ? beyond : words} ${limit}`;
  }
  if (words === 'at least' && limit === 1) return 'must not be empty';
  return `must have ${exact === true ? 'exactly' : words} ${limit} ${nouns[limit === 1 ? 0 : 1]}`;
}
