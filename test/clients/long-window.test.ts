import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import { palimpsest } from '../support/palimpsest-command.ts';
import { CLAUDE, installClients } from './programs.ts';

/** The real Claude Code through the gateway, with a model whose name asks for a window of 1,000,000 tokens. */

const CALLS = 38;
/** Of each log: some 5,500 tokens; of longer ones Claude Code keeps the beginning. */
const LINES = 600;

let provider: ScriptedProvider;
let folder: string;
beforeAll(installClients, 300_000);
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  provider.window = 1_000_000;
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-long-'));
  for (const name of ['bin', 'claude']) mkdirSync(join(folder, name));
  symlinkSync(CLAUDE, join(folder, 'bin', 'claude'));
});
afterEach(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

/** Each call prints a log that no other prints. */
function task(calls: number): void {
  let step = 0;
  provider.script = ({ body }) => {
    const offered = JSON.stringify(body.tools ?? []);
    if (!offered.includes('"Bash"') || step >= calls) return { text: 'The build is mended.' };
    step += 1;
    const command = `seq -f 'night ${step} step %g took needle-${step} seconds' 1 ${LINES}`;
    return { text: '', calls: [{ id: `call_${step}`, name: 'Bash', input: { command } }] };
  };
}

async function work(model: string): Promise<{ stderr: string; window: unknown }> {
  const { code, stdout, stderr } = await palimpsest(
    ['wrap', 'claude', '--model', model, '-p', 'Mend the build.', '--dangerously-skip-permissions'],
    {
      PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
      HOME: folder,
      // Nobody listens there.
      PORT: '9',
      CLAUDE_CONFIG_DIR: join(folder, 'claude'),
      ANTHROPIC_API_KEY: 'sk-their-own',
      ANTHROPIC_BASE_URL: provider.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
  );
  expect([code, stdout.trim(), provider.invalid]).toEqual([0, 'The build is mended.', []]);
  const DATABASE_URL = `file:${join(folder, '.local/share/palimpsest/palimpsest.db')}`;
  const { stdout: listed } = await palimpsest(['list', '--json'], { DATABASE_URL });
  const { context_window: window } = JSON.parse(listed).data[0];
  return { stderr, window };
}

it('is given 1,000,000 tokens for [1m], and loses nothing below that', async () => {
  task(CALLS);
  const { stderr, window } = await work('claude-sonnet-4-5[1m]');
  const turns = provider.turns.filter(({ body }) => JSON.stringify(body.tools ?? []) !== '[]');
  console.log(`${turns.length} turns, the largest ${turns.at(-1)?.tokens} tokens; ${stderr}`);
  // Claude Code takes it off the name, and asks in a header.
  expect(new Set(turns.map(({ body }) => body.model))).toEqual(new Set(['claude-sonnet-4-5']));
  expect(turns.every(({ headers }) => `${headers['anthropic-beta']}`.includes('context-1m'))).toBe(
    true,
  );
  expect(window).toBe(1_000_000);
  expect(turns.at(-1)?.tokens).toBeGreaterThan(200_000);
  for (const [index, turn] of turns.entries()) {
    if (index > 0) expect(turn.tokens).toBeGreaterThan(turns[index - 1]?.tokens ?? 0);
  }
  expect(stderr).toMatch(/palimpsest: \d+ turns, 0 compactions/);
}, 300_000);

it('is given 200,000 without it', async () => {
  task(1);
  const { window } = await work('claude-sonnet-4-5');
  expect(window).toBe(200_000);
}, 300_000);
