import { expect, test } from 'vitest';
import { unsupportedNode } from '../../src/cli/supported-node.ts';

test.each([
  ['18.20.8', 'Palimpsest needs Node 20.19, 22 or 24; this is 18.20.8'],
  ['20.18.3', 'Palimpsest needs Node 20.19, 22 or 24; this is 20.18.3'],
  ['20.19.0', null],
  ['22.1.0', null],
  ['24.21.0', null],
])('Node %s', (version, problem) => {
  expect(unsupportedNode(version)).toBe(problem);
});
