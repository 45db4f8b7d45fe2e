import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logOf } from '../support/gateway/sdk-task.ts';
import { withBuiltEntries } from '../support/run-example.ts';

const FOLDER = import.meta.dirname;
const PAGE = join(FOLDER, '../../docs/clients.md');
const MOST_MS = 240_000;

/** The program of a section of docs/clients.md: its nth block of code, counted from 0. */
export function example(section: string, nth = 0): string {
  const page = readFileSync(PAGE, 'utf8');
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const block = [...text.matchAll(/```js\n([\s\S]*?)```/g)][nth]?.[1];
  if (block === undefined) throw new Error(`docs/clients.md has no example ${nth} of ${section}`);
  return block;
}

/** Many clients need a newer Node than the oldest that this service runs on. */
function newNode(): string {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const file = `node_modules/node-${process.platform}-${process.arch}/bin/node`;
  const program = join(FOLDER, file);
  if (existsSync(program)) return program;
  throw new Error(`npm has no Node 24 for this platform: ${program} is not there`);
}

type Run = {
  url: string;
  /** How many there are to read. */
  logs?: number;
  arguments?: string[];
  environment?: Record<string, string>;
};

/**
 * Runs a program of the page beside the packages that it names, in a folder with logs to read; nothing in
 * it is changed but the address of the service, and ours is the package that was built. Answers what it has printed.
 */
export async function runExample(
  code: string,
  { url, logs = 0, arguments: given = [], environment = {} }: Run,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-example-'));
  // Where Node finds the packages, and nobody else looks.
  const own = mkdtempSync(join(FOLDER, 'node_modules', '.example-'));
  const file = join(own, 'main.mjs');
  try {
    mkdirSync(join(folder, 'logs'));
    for (let index = 0; index < logs; index++) {
      const path = `logs/night-${index}.log`;
      writeFileSync(join(folder, path), logOf(path));
    }
    writeFileSync(file, withBuiltEntries(code).replaceAll('http://127.0.0.1:8787', url));
    return await new Promise((resolve, reject) => {
      const options = {
        cwd: folder,
        timeout: MOST_MS,
        killSignal: 'SIGKILL' as const,
        maxBuffer: 64 * 1024 * 1024,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          OPENAI_API_KEY: 'sk-their-own',
          ANTHROPIC_API_KEY: 'sk-their-own',
          // Nothing may leave this machine.
          OPENAI_AGENTS_DISABLE_TRACING: '1',
          AI_SDK_LOG_WARNINGS: 'false',
          CLAUDE_CONFIG_DIR: join(folder, 'claude'),
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          IS_SANDBOX: '1',
          ...environment,
        },
      };
      execFile(newNode(), [file, ...given], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`the example failed:\n${stdout}\n${stderr}`, { cause: error }));
      });
    });
  } finally {
    rmSync(own, { recursive: true });
    rmSync(folder, { recursive: true });
  }
}
