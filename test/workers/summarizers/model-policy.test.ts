import { expect, it } from 'vitest';
import { modelTable } from '../../../src/workers/summarizers/default-model.ts';
import { modelPolicy } from '../../../src/workers/summarizers/model-policy.ts';

it.each([
  ['qwen3', '"qwen3" is not a provider'],
  ['acme/x', '"acme" is not a provider'],
])('refuses %s by what was written', (name, words) => {
  const table = modelTable({});
  const operator = { allowed: null, serverModels: [], table, environment: {}, isCalling: true };
  expect(modelPolicy(operator)(name)).toContain(words);
});
