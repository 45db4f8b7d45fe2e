import { expect, test } from 'vitest';
import { examplesOf, runExample } from '../support/run-example.ts';
import { startService } from '../support/start-service.ts';

test('the examples of docs/client.md run', async () => {
  const [overHttp = '', inProcess = '', ...more] = examplesOf('docs/client.md');
  expect(more).toEqual([]);
  const service = await startService();
  try {
    expect(await runExample(overHttp, { url: service.url })).toBe('2 user\n1\n');
  } finally {
    await service.dispose();
  }
  expect(await runExample(inProcess, {})).toContain('Remember the milk.');
});
