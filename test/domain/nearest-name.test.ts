import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/domain/nearest-name.ts';

describe('the nearest name', () => {
  it.each([
    ['wiat', ['format', 'at', 'wait'], 'wait'],
    ['limitt', ['limit', 'after'], 'limit'],
    ['dryRun', ['mode', 'dry_run'], 'dry_run'],
    ['If_Match', ['if-match'], 'if-match'],
    ['type', ['types'], 'types'],
    ['q', ['at', 'id'], null],
    ['x', [], null],
    ['', ['at'], null],
    ['completely_different', ['limit'], null],
  ])('%s out of %j is %s', (name, known, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it('is the first of those that are equally near', () => {
    expect(nearestName('cat', ['bat', 'hat'])).toBe('bat');
  });

  it('does not compare a name of a megabyte letter by letter', () => {
    expect(nearestName('x'.repeat(1_000_000), ['limit', 'after'])).toBeNull();
  });
});
