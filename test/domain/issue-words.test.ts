import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IN_PLAIN_WORDS } from '../../src/domain/issue-words.ts';

function wordsFor(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, IN_PLAIN_WORDS);
  return (error?.issues ?? []).map(({ message }) => message);
}

describe('what is wrong with a value', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), 7, 'must be a string'],
    [z.number(), 'many', 'must be a number'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.array(z.string()), {}, 'must be an array'],
    [z.object({}), [], 'must be an object, not an array'],
    [z.object({}), 'a', 'must be an object'],
    [z.record(z.string(), z.string()), 'a', 'must be an object'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().max(3), 'long', 'must have at most 3 characters'],
    [z.array(z.string()).min(2), ['a'], 'must have at least 2 entries'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
    [z.string().length(2), 'a', 'must have exactly 2 characters'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().gt(0), 0, 'must be more than 0'],
    [z.int().max(5), 6, 'must be at most 5'],
    [z.number().lt(1), 1, 'must be less than 1'],
    [z.literal('compaction'), 'it', 'must be "compaction"'],
    [z.enum(['auto', 'full']), 'all', 'must be one of "auto", "full"'],
  ])('is said without the words of a type system (%#)', (schema, value, words) => {
    expect(wordsFor(schema, value)).toEqual([words]);
  });

  it('is that it is missing, where it is', () => {
    expect(wordsFor(z.object({ model: z.string() }), {})).toEqual(['is missing: must be a string']);
  });

  it('is said in the words of the schema, where it has any', () => {
    expect(wordsFor(z.string({ error: 'must be a name' }), 7)).toEqual(['must be a name']);
  });

  it('is said as zod says it, where it is of another kind', () => {
    expect(
      wordsFor(
        z.string().refine(() => false),
        'a',
      ),
    ).toEqual(['Invalid input']);
  });
});
