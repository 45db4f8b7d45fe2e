import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { ServiceProcess } from '../support/service-process.ts';

describe('I12: a key belongs to one tenant', () => {
  it('the service does not start with one key for two names, and does not print it', async () => {
    const start = ServiceProcess.start({ PALIMPSEST_API_KEYS: 'team-a:secret-1,team-b:secret-1' });
    const message = await start.then(
      async (service) => {
        await service.dispose();
        return 'it started';
      },
      (error: unknown) => String(error),
    );
    expect(message).toMatch(
      /"team-a" and "team-b" have the same key: give each name a key of its own/,
    );
    expect(message).not.toMatch(/secret-1/);
  });

  it('one name may have several keys, and keys may begin alike', () => {
    const { api_keys } = readSettings({ PALIMPSEST_API_KEYS: 'a:k1,a:k2,b:k11' });
    expect(api_keys.map(({ name }) => name)).toEqual(['a', 'a', 'b']);
  });
});
