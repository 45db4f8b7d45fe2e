import { describe, expect, it } from 'vitest';
import { sizeOfState } from '../../src/db/head-cache.ts';
import type { Head } from '../../src/domain/session/head.ts';
import { call, result } from '../support/items.ts';
import { PureSession } from '../support/pure-session.ts';

/** Not longer than what a head keeps of an id as it is. */
const id = (n: number) => `${n}-${'x'.repeat(190)}`;

describe('the size of a state in the cache of heads', () => {
  it.each<[string, (session: PureSession) => void]>([
    ['nothing open', () => {}],
    ['many calls open', (session) => session.append(...numbers(200).map((n) => call(id(n), 'x')))],
    [
      'many results without a call',
      (session) => session.append(...numbers(200).map((n) => result(id(n), 'ok'))),
    ],
    [
      'many shell calls open',
      (session) =>
        session.append(
          ...numbers(200).map((n) => call(id(n), 'Bash', { command: 'git commit -m x' })),
        ),
    ],
  ])('is about that of its JSON with %s', (_, prepare) => {
    const session = new PureSession();
    prepare(session);
    const { state }: Head = session.head;
    const { length } = JSON.stringify(state);
    expect(sizeOfState(state)).toBeGreaterThan(length * 0.9);
    expect(sizeOfState(state)).toBeLessThan(length + 2_500);
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
