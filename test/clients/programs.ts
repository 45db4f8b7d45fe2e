import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const FOLDER = import.meta.dirname;
const MOST_MS = 120_000;
const LOOK_AGAIN_MS = 200;
/** No installation takes longer. */
const INSTALL_MS = 600_000;

const isInstalled = () => {
  const mark = join(FOLDER, 'node_modules/.package-lock.json');
  const lock = join(FOLDER, 'package-lock.json');
  return existsSync(mark) && statSync(mark).mtimeMs > statSync(lock).mtimeMs;
};

/** Installs the clients of the lock beside this file, where they are not there yet: one process for all. */
export async function installClients(): Promise<void> {
  const turn = join(FOLDER, 'node_modules.turn');
  while (!isInstalled()) {
    if (!isOurs(turn)) {
      await setTimeout(LOOK_AGAIN_MS);
      continue;
    }
    try {
      // Not `ci`: it refuses a lock without the packages of other platforms, which npm itself leaves out.
      const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
      await promisify(execFile)('npm', args, { cwd: FOLDER });
    } finally {
      rmdirSync(turn);
    }
  }
}

/** Takes the turn, also that of a process which must have died. */
function isOurs(turn: string): boolean {
  try {
    mkdirSync(turn);
    return true;
  } catch {
    const { mtimeMs = Date.now() } = statSync(turn, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > INSTALL_MS) rmSync(turn, { recursive: true, force: true });
    return false;
  }
}

const PLATFORM = `${process.platform}-${process.arch}`;
const TRIPLES: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/** The programs themselves: their launchers want a newer Node than the oldest that we run on. */
export const CODEX = join(
  FOLDER,
  `node_modules/@openai/codex-${PLATFORM}/vendor/${TRIPLES[PLATFORM]}/bin/codex`,
);
/** The newest that asks for its compactions at an address of their own. */
export const CODEX_137 = join(
  FOLDER,
  `node_modules/codex-0.137/node_modules/@openai/codex-${PLATFORM}/vendor/${TRIPLES[PLATFORM]}/bin/codex`,
);
export const CLAUDE = join(FOLDER, `node_modules/@anthropic-ai/claude-code-${PLATFORM}/claude`);

/** Throws where the package of this platform could not be had. */
function present(program: string): string {
  if (existsSync(program)) return program;
  throw new Error(`npm has no package of this client for ${PLATFORM}: ${program} is not there`);
}

type Run = {
  folder: string;
  model: string;
  prompt: string;
  /** How often it asks again where an answer breaks off; Claude Code decides that itself. */
  retries?: number;
};

/** Runs Codex with these lines of its configuration; answers what it has printed. */
export function runCodex(
  { folder, model, prompt, retries = 0 }: Run,
  lines: string,
): Promise<string> {
  const home = join(folder, 'codex');
  mkdirSync(home);
  writeFileSync(
    join(home, 'config.toml'),
    `model = "gpt-5.4"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = ${retries}
[analytics]
enabled = false
[features]
plugins = false
apps = false
${lines}`,
  );
  const args = ['exec', '--json', '--skip-git-repo-check', '-C', folder, prompt];
  return run(CODEX, args, { folder, CODEX_HOME: home, SCRIPTED_KEY: 'none' });
}

/** Runs Claude Code with these servers; answers what it has printed. */
export function runClaude({ folder, model, prompt }: Run, servers: string): Promise<string> {
  const config = join(folder, 'mcp.json');
  writeFileSync(config, servers);
  const args = ['-p', prompt, '--output-format', 'stream-json', '--verbose'];
  return run(CLAUDE, [...args, '--dangerously-skip-permissions', '--mcp-config', config], {
    folder,
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    IS_SANDBOX: '1',
    // Else the tools of servers are hidden until the model has searched for them.
    ENABLE_TOOL_SEARCH: 'false',
  });
}

function run(
  program: string,
  args: string[],
  { folder, ...environment }: Record<string, string> & { folder: string },
): Promise<string> {
  const path = [join(folder, 'bin'), process.env.PATH].join(':');
  const child = spawn(present(program), args, {
    cwd: folder,
    env: { PATH: path, HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(printed));
  });
}

/** The blocks of a language in docs/mcp.md, with this service and session in them. */
export function documented(language: string, url: string, session: string): string[] {
  const page = readFileSync(join(FOLDER, '../../docs/mcp.md'), 'utf8');
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^\`]+)\`\`\``, 'g'))];
  return blocks.map(([, text = '']) =>
    text.replaceAll('http://127.0.0.1:8787', url).replaceAll('SESSION_ID', session),
  );
}
