import { expect, it } from 'vitest';
import { tellsError } from '../../src/domain/error-lines.ts';

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
