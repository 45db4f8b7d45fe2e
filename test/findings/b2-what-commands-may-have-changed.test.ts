import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, ofTokens, result, text, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let sessions = 0;
const START = user([text('Tidy this up.\nWorking directory: /w/app')]);

/** The context of a Claude Code session after a full compaction of these items. */
async function contextAfter(profile: string, items: Item[]): Promise<string> {
  const id = `bulk-${sessions++}`;
  const config = {
    auto_compact_enabled: false,
    protected_tokens: null,
    ...(profile === 'default' && { restore_max_files: 5 }),
  };
  const body = { id, format: 'anthropic', profile, context_window: 200_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const talk = { role: 'assistant', content: ofTokens(2_000) };
  const all = [START, ...items, user('Go on.'), talk, user('And on.')];
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: all })).status).toBe(201);
  await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
  await api.work(api.dispatched.at(-1));
  const { body: context } = await send(api, 'GET', `/sessions/${id}/context`);
  return JSON.stringify(context, null, 1).replaceAll('\\n', '\n');
}

const KNOWN = 'export const oldValue = 1;\n';
const write = (path: string, content = KNOWN): Item[] => [
  call(`w${path}`, 'Write', { file_path: path, content }),
  result(`w${path}`, `File created successfully at: ${path}`),
];
const bash = (command: string, answer = '', n = 1): Item[] => [
  call(`b${n}`, 'Bash', { command }),
  result(`b${n}`, answer),
];

describe('B2: what a command may have changed is not shown as the newest content', () => {
  const commands = [
    "sed -i 's/oldValue/newValue/' src/*.ts",
    "grep -rl oldValue src | xargs sed -i 's/oldValue/newValue/g'",
    "find . -name '*.ts' -exec sed -i 's/oldValue/newValue/' {} +",
    'for f in src/*.ts; do sed -i \'s/oldValue/newValue/\' "$f"; done',
    'npx prettier --write .',
    'npm run format',
    'npx jscodeshift -t rename.js src',
    'git apply rename.patch',
    'tar xzf app.tgz',
    'cp -r /other/. /w/app/',
    'deno fmt',
    'gh pr checkout 12',
    "docker compose exec app sed -i 's/old/new/' src/a.ts",
    "python3 - <<'E'\nimport glob\nfor f in glob.glob('src/*.ts'):\n    s = open(f).read()\n    open(f, 'w').write(s.replace('old', 'new'))\nE",
  ];
  it.each(commands)('%s', async (command) => {
    for (const profile of ['claude-code', 'codex-v2']) {
      const context = await contextAfter(profile, [...write('/w/app/src/a.ts'), ...bash(command)]);
      const [before = '', after] = context.split('[may have changed since: ');
      expect(after).toContain('export const oldValue = 1;');
      expect(before).not.toContain('\nexport const oldValue = 1;');
    }
  });

  it('and what none may have changed is, without a note', async () => {
    const looks = 'grep -rn oldValue src; npx tsc --noEmit; npm test -- src/a.ts; git status';
    const context = await contextAfter('claude-code', [
      ...write('/w/app/src/a.ts'),
      ...bash(looks, 'ok'),
    ]);
    expect(context).toContain('export const oldValue = 1;');
    expect(context).not.toContain('may have changed since');
  });

  it('nor is a file of another package, or of another folder', async () => {
    const context = await contextAfter('claude-code', [
      ...write('/w/app/src/index.ts', 'export const app = 1;\n'),
      ...bash('cd packages/lib && npm test', 'ok'),
      ...bash('cat src/index.ts', 'export const lib = 2;\n', 2),
    ]);
    const at = (path: string) => context.indexOf(path);
    expect(at('export const app = 1;')).toBeGreaterThan(0);
    expect(context).toMatch(
      /\/w\/app\/packages\/lib\/src\/index\.ts[\s\S]{0,200}export const lib = 2;/,
    );
    expect(context).not.toMatch(/\/w\/app\/src\/index\.ts[^/]{0,100}export const lib = 2;/);
  });

  it('nor is a folder that is gone', async () => {
    const context = await contextAfter('claude-code', [
      ...write('/w/app/src/a.ts'),
      ...bash('rm -rf src'),
    ]);
    expect(context).not.toContain('export const oldValue = 1;');
  });
});
