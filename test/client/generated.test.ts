import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { currentSource } from '../../scripts/client-types/current-source.ts';

test('the types of the client are those of the OpenAPI document: npm run client-types', async () => {
  const file = new URL('../../src/client/generated.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(await currentSource());
});
