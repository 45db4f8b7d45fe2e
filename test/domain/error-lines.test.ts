import { expect, it } from 'vitest';
import { beginsAsError, tellsError } from '../../src/domain/error-lines.ts';

it.each([
  ['The operation failed: 0x80070005', true],
  ['error: HRESULT failed: 0xC0000005', true],
  ['help: unknown command "biuld"', true],
  ['note: cannot find a config file', true],
  ['Tests passed: 12, failed: 0, errors: 0', false],
  ['Checks failed: 0/3', false],
  ['help: consider borrowing here, or the error stays', false],
  ['= note: this error originates in a macro', false],
])('%s: %s', (line, tells) => {
  expect(tellsError(line)).toBe(tells);
});

it.each([
  ['#14 92.05 npm error code ETIMEDOUT', true],
  [
    '#16 ERROR: process "/bin/sh -c npx prisma generate" did not complete successfully: exit code: 1',
    true,
  ],
  ['#16 8.883 Error: request to https://example.org/all_commits failed, reason: ETIMEDOUT', true],
  ['#14 12.30 added 120 packages', false],
  ['#14 of the issues was closed: error in the title', false],
])('of an image that is built, %s: %s', (line, begins) => {
  expect(beginsAsError(line)).toBe(begins);
});
