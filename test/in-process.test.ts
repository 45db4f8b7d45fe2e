import { describe, expect, test } from 'vitest';
import { startInProcess } from '../src/in-process.ts';

const user = (content: string) => ({ role: 'user', content });

describe('the service inside the process', () => {
  test('has the same client, compacts, and tells of events', async () => {
    const { client, stop } = await startInProcess();
    try {
      await client.createSession({ body: { id: 'here', context_window: 10_000 } });
      for (let n = 0; n < 40; n++) {
        await client.appendItems({ id: 'here', body: user(`${n} ${'word '.repeat(400)}`) });
      }
      const { tokens } = await client.getContext({ id: 'here', wait: 'compaction' });
      expect(tokens).toBeLessThan(10_000);
      for await (const { type } of client.follow({ id: 'here' })) {
        if (type === 'compaction.completed') break;
      }
    } finally {
      await stop();
    }
  });

  test('takes the settings that it is given, keys included', async () => {
    const { client, fetch, stop } = await startInProcess({ PALIMPSEST_API_KEYS: 'team:secret' });
    try {
      expect((await client.listSessions()).data).toEqual([]);
      const refused = await fetch(new Request('http://127.0.0.1/sessions'));
      expect(refused.status).toBe(401);
    } finally {
      await stop();
    }
    await expect(startInProcess({ PALIMPSEST_API_KEYZ: 'a:b' })).rejects.toThrow('API_KEYS');
  });
});
