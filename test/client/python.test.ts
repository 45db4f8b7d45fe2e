import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, readText } from '../house/sources.ts';
import { close, listen } from '../support/listening.ts';
import { startService } from '../support/start-service.ts';
import { failingServer } from './failing-server.ts';

test('the example of docs/client.md in Python runs', async () => {
  const service = await startService();
  try {
    const [, code = ''] = /^```python\n(.*?)^```$/ms.exec(readText('docs/client.md')) ?? [];
    const there = code.replace('http://127.0.0.1:8787', service.url);
    const script = `${there}\nprint(messages[0]["content"])`;
    const env = { ...process.env, PYTHONPATH: join(ROOT, 'clients/python') };
    const { stdout } = await promisify(execFile)('python3', ['-B', '-c', script], { env });
    expect(stdout).toBe('Why does the build fail?\n');
  } finally {
    await service.dispose();
  }
});

test('clients/python/palimpsest.py drives the service, through failures too', async () => {
  const service = await startService();
  const between = await failingServer(service.url);
  const another = createServer((_, response) => response.end('["not a session"]'));
  try {
    const busy = { kind: 'status', status: 503, headers: { 'retry-after': '0' } } as const;
    between.script({ kind: 'cut_after' }, { kind: 'cut_within', bytes: 5 });
    // The third try of the append goes through.
    between.script({ kind: 'pass' }, busy, busy, { kind: 'pass' }, { kind: 'cut_before' });
    between.script({ kind: 'cut_within', bytes: 900 });
    const { stdout } = await promisify(execFile)(
      'python3',
      [join(ROOT, 'test/client/python/check.py'), service.url, between.url, await listen(another)],
      {
        env: {
          ...process.env,
          PYTHONPATH: join(ROOT, 'clients/python'),
          PYTHONDONTWRITEBYTECODE: '1',
        },
      },
    );
    expect(stdout).toBe('ok\n');
    const keys = between.requests.slice(0, 3).map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
  } finally {
    await close(another);
    await between.close();
    await service.dispose();
  }
});
