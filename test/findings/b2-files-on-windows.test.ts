import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const WIN = 'C:\\proj\\src\\server.ts';
let sessions = 0;
/** What a context after a full compaction shows of the file that was read first. */
async function shown(name: string, input: JsonObject, path = WIN, answer = 'ok') {
  const id = `windows-${sessions++}`;
  const config = { auto_compact_enabled: false, protected_tokens: null };
  const body = { id, format: 'anthropic', profile: 'default', context_window: 200_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const talk = { role: 'assistant', content: ofTokens(2_000) };
  const uses = [
    call('r', 'Read', { file_path: path }),
    result('r', '     1→const port = 8080;\n     2→export default port;'),
    call('e', name, input),
    result('e', answer),
  ];
  const all = [user('Go.'), ...uses, talk, user('Go on.'), talk, user('And on.')];
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: all })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
  const { body: context } = await send(api, 'GET', `/sessions/${id}/context`);
  const contents = JSON.stringify(context.items);
  return contents.match(/File [^"]{1,80} \(as last known\)[^"]*/g) ?? [];
}

const EDIT = { old_string: '8080', new_string: '9090' };

describe('B2: on Windows one file is one file', () => {
  it.each(['C:/proj/src/server.ts', 'c:\\proj\\src\\server.ts'])(
    'edited as %s',
    async (file_path) => {
      const files = await shown('Edit', { file_path, ...EDIT });
      expect(files).toHaveLength(1);
      expect(files[0]).toContain('9090');
    },
  );

  it.each([
    ['PowerShell', `(Get-Content ${WIN}) -replace '8080','9090' | Set-Content ${WIN}`],
    ['powershell', `Remove-Item ${WIN}`],
    ['powershell', `npm run emit > ${WIN}`],
    [
      'run_in_terminal',
      `Get-ChildItem C:\\proj\\src | ForEach-Object { Set-Content $_.FullName 'x' }`,
    ],
    ['Bash', `sed -i 's/8080/9090/' src/server.ts`],
  ])('%s: %s', async (name, command) => {
    for (const file of await shown(name, { command })) {
      expect(file).toContain('[may have changed since: ');
    }
  });

  it('what PowerShell moves or writes as a whole is known', async () => {
    const moved = `Move-Item -Path "${WIN}" -Destination C:\\proj\\old.ts`;
    const [file, ...others] = await shown('powershell', { command: moved });
    expect(file).toMatch(/^File C:\/proj\/old\.ts .*const port = 8080;/);
    expect(others).toEqual([]);
    const written = await shown('powershell', { command: `"x" | Out-File -FilePath ${WIN}` });
    expect(written).toEqual(['File C:/proj/src/server.ts (as last known):\\nx\\n']);
  });

  it('what only reads changes nothing', async () => {
    const command = `Get-Content ${WIN} | Select-Object -First 1`;
    const [file] = await shown('powershell', { command }, WIN, 'const port = 8080;');
    expect(file).toContain('8080');
    expect(file).not.toContain('may have changed');
  });

  it('elsewhere a backslash is a character', async () => {
    const files = await shown('Edit', { file_path: '/w/a/b.ts', ...EDIT }, '/w/a\\b.ts');
    expect(files).toHaveLength(1);
    expect(files[0]).toContain('8080');
  });
});
