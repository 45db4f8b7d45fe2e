import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import { palimpsest } from '../support/palimpsest-command.ts';
import { atScale } from '../support/scale.ts';
import { CLAUDE, CODEX, CODEX_137, installClients } from './programs.ts';

const CALLS = atScale({ brief: 30, short: 40, long: 100 });
const WINDOW = 50_000;
/** Of each log: some 2,000 tokens. */
const LINES = 220;

let provider: ScriptedProvider;
let folder: string;
beforeAll(installClients, 300_000);
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  provider.window = WINDOW;
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-wrapped-'));
  for (const name of ['bin', 'project', 'codex', 'claude']) mkdirSync(join(folder, name));
});
afterEach(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

/**
 * Each call prints a log that no other prints, but for a first one; what has no tools is no step of the
 * task. `call`: what the tool is given for a command of the shell.
 */
function task(
  tool: string,
  call: (command: string) => object | string,
  first?: { name: string; input: object },
): void {
  let step = 0;
  provider.script = ({ body, history }) => {
    const offered = JSON.stringify([body.tools ?? [], toldIn(history)]);
    if (!offered.includes(`"${tool}"`) || step >= CALLS) return { text: 'The build is mended.' };
    step += 1;
    const command = `seq -f 'night ${step} step %g took needle-${step} seconds' 1 ${LINES}`;
    const usual = { name: tool, input: call(command) };
    const made = { id: `call_${step}`, ...((step === 1 && first) || usual) };
    return { text: `I look at night ${step}.`, calls: [made] };
  };
}

/** The tools that a history tells: Codex does so with most of its models. */
function toldIn(history: readonly Item[]): Item[] {
  return history.filter(({ type }) => type === 'additional_tools');
}

function environment(more: Record<string, string>): Record<string, string> {
  return {
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    HOME: folder,
    // Nobody listens there.
    PORT: '9',
    ...more,
  };
}

/**
 * All turns passed through and fitted, our tools were offered, and by the last line of the run the context
 * was compacted as often as needed.
 */
function expectCompacted(stderr: string): void {
  const turns = provider.turns.filter(({ tokens }) => tokens <= WINDOW);
  const largest = Math.max(...turns.map(({ tokens }) => tokens));
  const refused = provider.turns.length - turns.length;
  console.log(
    `${turns.length} turns, the largest ${largest} tokens, ${refused} refused; ${stderr}`,
  );
  // Until the window is learned.
  expect(refused).toBeLessThanOrEqual(2);
  expect(turns.some(({ body }) => JSON.stringify(body).includes('mcp__palimpsest'))).toBe(true);
  const [, calls, compactions] = /palimpsest: (\d+) turns, (\d+) compactions?, /.exec(stderr) ?? [];
  expect(Number(calls)).toBe(CALLS + 1);
  expect(Number(compactions)).toBeGreaterThan(CALLS / 40);
}

/** What a search says of the third call, in the log that the run has left. */
async function thirdCall(): Promise<string> {
  const DATABASE_URL = `file:${join(folder, '.local/share/palimpsest/palimpsest.db')}`;
  const { stdout, stderr } = await palimpsest(['search', 'needle-3', '--json'], { DATABASE_URL });
  return stdout + stderr;
}

describe('a wrapped agent works through what overflows its window many times', () => {
  const command = (cmd: string) => ({ cmd });
  const program = (cmd: string) => `text(await tools.exec_command(${JSON.stringify({ cmd })}))`;
  it.each([
    ['0.169', CODEX, 'gpt-5.4', 'exec_command', command],
    ['0.169, told its tools in the history', CODEX, 'gpt-5.6-sol', 'exec', program],
    ['0.137', CODEX_137, 'gpt-5.4', 'exec_command', command],
  ] as const)(
    'Codex %s',
    async (_, codex, model, tool, call) => {
      symlinkSync(codex, join(folder, 'bin', 'codex'));
      task(tool, call);
      const config = `model = "${model}"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[analytics]
enabled = false
[features]
plugins = false
apps = false
[projects.${JSON.stringify(join(folder, 'project'))}]
trust_level = "trusted"
`;
      writeFileSync(join(folder, 'codex', 'config.toml'), config);
      const args = ['exec', '--json', '--skip-git-repo-check', '-C', join(folder, 'project')];
      const { code, stdout, stderr } = await palimpsest(
        ['wrap', 'codex', ...args, 'Mend the build.'],
        environment({
          CODEX_HOME: join(folder, 'codex'),
          OPENAI_API_KEY: 'sk-their-own',
          OPENAI_BASE_URL: `${provider.url}/v1`,
        }),
      );
      expect([code, provider.invalid]).toEqual([0, []]);
      expectCompacted(stderr);
      const told = provider.turns.map(({ history }) => toldIn(history));
      expect(new Set(told.map((tools) => tools.length))).toEqual(
        new Set([tool === 'exec' ? 1 : 0]),
      );
      expect(stdout).toContain('The build is mended.');
      expect(await thirdCall()).toContain('needle-3');
      expect(readFileSync(join(folder, 'codex', 'config.toml'), 'utf8')).toBe(config);
      expect(readdirSync(join(folder, 'project'))).toEqual([]);
    },
    300_000,
  );

  it('Claude Code, which says as the user that a tool is loaded', async () => {
    symlinkSync(CLAUDE, join(folder, 'bin', 'claude'));
    const search = { name: 'ToolSearch', input: { query: 'select:WebFetch' } };
    task('Bash', (command) => ({ command }), search);
    const { code, stdout, stderr } = await palimpsest(
      [
        'wrap',
        'claude',
        '-p',
        'Mend the build.',
        '--output-format',
        'stream-json',
        '--verbose',
        '--dangerously-skip-permissions',
      ],
      environment({
        CLAUDE_CONFIG_DIR: join(folder, 'claude'),
        ANTHROPIC_API_KEY: 'sk-their-own',
        ANTHROPIC_BASE_URL: provider.url,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        IS_SANDBOX: '1',
      }),
    );
    expect([code, provider.invalid]).toEqual([0, []]);
    expectCompacted(stderr);
    expect(stdout).toContain('The build is mended.');
    expect(await thirdCall()).toContain('needle-3');
    expect(JSON.stringify(provider.turns)).toContain('"text":"Tool loaded."');
    const context = JSON.stringify(provider.turns.at(-1)?.history);
    expect(context).toContain('request: Mend the build.');
    expect(context).not.toContain('Tool loaded.');
    expect(readdirSync(join(folder, 'project'))).toEqual([]);
  }, 300_000);
});
