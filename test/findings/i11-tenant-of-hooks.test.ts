import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ofTokens } from '../support/items.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

describe('I11: hooks can tell tenants apart', () => {
  const bodies: { [field: string]: unknown }[] = [];
  let hooks: Server;
  let service: ServiceProcess;
  let folder: string;
  beforeAll(async () => {
    hooks = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/`;
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-i11-'));
    const file = join(folder, 'config.toml');
    const tables = ['PreCompact', 'SessionStart', 'PostCompact'].map(
      (event) => `[[hooks]]\nevent = "${event}"\nurl = "${url}"\nsecret_env = "HOOK_SECRET"\n`,
    );
    await writeFile(file, tables.join('\n'));
    service = await startService({
      PALIMPSEST_CONFIG: file,
      HOOK_SECRET: 'a secret of the hooks',
      PALIMPSEST_API_KEYS: 'red:key-of-red,blue:key-of-blue',
    });
  });
  afterAll(async () => {
    await service.dispose();
    hooks.close();
    await rm(folder, { recursive: true });
  });

  it('sessions of the same id are told apart in all three calls', async () => {
    for (const tenant of ['red', 'blue']) {
      const post = (path: string, body: object, more: Record<string, string> = {}) =>
        fetch(`${service.url}${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer key-of-${tenant}`,
            ...more,
          },
          body: JSON.stringify(body),
        });
      expect((await post('/sessions', { id: 's' })).status).toBe(201);
      const items = [1, 2, 3].flatMap((n) => [
        { role: 'user', content: `Question ${n}. ${ofTokens(900)}` },
        { role: 'assistant', content: `Answer ${n}. ${ofTokens(9_000)}` },
      ]);
      await post('/sessions/s/items', items);
      await post('/sessions/s/compact', { mode: 'full' }, { prefer: 'wait=30' });
    }
    await expect.poll(() => bodies.length).toBe(6);
    expect(
      bodies.map(({ tenant, session_id, hook_event_name }) => [
        tenant,
        session_id,
        hook_event_name,
      ]),
    ).toEqual(
      ['red', 'blue'].flatMap((tenant) =>
        ['PreCompact', 'SessionStart', 'PostCompact'].map((event) => [tenant, 's', event]),
      ),
    );
  });
});
