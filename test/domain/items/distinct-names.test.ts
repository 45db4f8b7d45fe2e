import { describe, expect, it } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import { withDistinctNames } from '../../../src/domain/items/distinct-names.ts';
import type { Item } from '../../../src/domain/items/item.ts';

/** The names under which the tools of function calls are called after it. */
function namesOf(calls: Item[]): string[] {
  const codec = codecFor('openai-responses');
  const items = calls.map((call, n) =>
    codec.normalise({ type: 'function_call', call_id: `c${n}`, arguments: '{}', ...call }),
  );
  return withDistinctNames(items).flatMap((item) =>
    item.kind === 'message'
      ? item.parts.flatMap((part) => (part.kind === 'tool_call' ? [part.name] : []))
      : [],
  );
}

describe('names of tools for another provider', () => {
  it('stay when they are fit, wherever the others stand', () => {
    const names = namesOf(['a.b', 'a_b', 'a-b'].map((name) => ({ name })));
    expect(names.slice(1)).toEqual(['a_b', 'a-b']);
    expect(names[0]).toMatch(/^a_b_[a-z0-9]+$/);
  });

  it('stay apart when they differ only in what is replaced, the same for each call', () => {
    const names = namesOf(['a.b', 'a:b', 'a/b', 'a:b', 'a.b'].map((name) => ({ name })));
    expect(names[0]).toBe('a_b');
    expect([names[3], names[4]]).toEqual([names[1], names[0]]);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('name their namespace, with one joint between the two', () => {
    const names = namesOf([
      { namespace: 'mcp__docs__', name: 'search' },
      { namespace: 'wiki', name: 'search' },
      { namespace: '', name: 'search' },
    ]);
    expect(names).toEqual(['mcp__docs__search', 'wiki__search', 'search']);
  });
});
