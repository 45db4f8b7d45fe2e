import { describe, expect, test } from 'vitest';
import { keptFacts } from '../../../src/cli/hook/kept-facts.ts';

describe('what is kept', () => {
  const fact = (kind: string, state: string, said: string) => ({ kind, state, text: said });

  test('is what holds now, the newest of it, and no more of one than a few lines', () => {
    const facts = [
      fact('constraint', 'superseded', 'old'),
      ...Array.from({ length: 20 }, (_, place) => fact('constraint', 'current', `rule ${place}`)),
      fact('request', 'done', 'past'),
      fact('error', 'open', 'e'.repeat(5_000)),
      fact('name', 'current', 'a.ts'),
    ];
    const kept = keptFacts(facts);
    expect(kept).not.toMatch(/old|past|a\.ts|rule 4\n/);
    expect(kept).toMatch(/- rule 5\n[\s\S]*- rule 19\n\nErrors without a cure yet:\n- e{400} …$/);
  });

  test('is nothing where nothing was said', () => expect(keptFacts([])).toBe(''));
});
