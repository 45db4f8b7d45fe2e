#!/usr/bin/env node
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander';
import type { ArchiveFlags } from './cli/archive.ts';
import type { ExportFlags } from './cli/export-session.ts';
import type { ImportFlags } from './cli/import-files.ts';
import { holdNewSpace } from './cli/new-space.ts';
import type { TargetFlags } from './cli/open-target.ts';
import { age, wholeNumber } from './cli/option-values.ts';
import { addReadingCommands } from './cli/reading-commands.ts';
import type { RetentionFlags } from './cli/retention.ts';
import { unsupportedNode } from './cli/supported-node.ts';
import type { SyncFlags } from './cli/sync-file.ts';
import { plainText } from './cli/terminal/plain-text.ts';
import type { WrapFlags } from './cli/wrap.ts';
import { SettingsError } from './config/settings-error.ts';
import { errorMessage } from './domain/error-message.ts';
import { packageVersion } from './package-version.ts';

// Each command is loaded when it runs: `--help` and `--version` answer without the service.

const tokens = wholeNumber(1, Number.MAX_SAFE_INTEGER, 'tokens');

const FAILED = 1;
const WRONG_USE = 2;

const program = new Command('palimpsest')
  .description(
    'Keeps the conversations of LLM agents inside their context window, and loses nothing.',
  )
  .version(packageVersion())
  .showHelpAfterError('(run palimpsest --help for usage)')
  .exitOverride()
  .enablePositionalOptions()
  .addHelpText(
    'after',
    `
Settings come from the environment; .env.example lists them all.
  PALIMPSEST_URL     the service that commands talk to, as --url; without it they open the store
  PALIMPSEST_API_KEY the key that they send
  HOST, PORT         where serve listens (127.0.0.1, 8787; PORT=0 picks a free one)
  DATABASE_URL       the store (file:./data/palimpsest.db, or postgres://…)
  REDIS_URL          jobs go through Redis; ROLE=api and ROLE=worker then share the work

Exit codes: 0 success, 1 failure, 2 wrong usage.`,
  );

program.hook('preAction', () => {
  const problem = unsupportedNode(process.versions.node);
  if (problem !== null) throw new SettingsError(problem);
});

program
  .command('serve')
  .description('run the service: API, worker, or both in one process (ROLE)')
  .action(async () => {
    holdNewSpace();
    const { serveCommand } = await import('./cli/serve.ts');
    await serveCommand();
  });

program
  .command('import')
  .description('import agent transcripts, one session per conversation, or restore exports')
  .argument(
    '<file...>',
    'Claude Code, Codex, Copilot CLI, VS Code, Gemini CLI, Qwen Code, Kimi Code, OpenCode, Antigravity, Cursor, pi, Droid, Aider, ' +
      'goose, SWE-agent or Cline files, messages of the OpenAI and Anthropic APIs, or exports of Palimpsest; plain or gzipped',
  )
  .option('--url <url>', 'import into the service at this address (PALIMPSEST_URL), not the store')
  .option('--profile <profile>', 'profile of the new sessions')
  .option('--context-window <tokens>', 'context window of the new sessions', tokens)
  .option('--id-prefix <prefix>', 'put this before each session id')
  .option('--tenant <name>', 'name of the API key that the sessions are for (default: local)')
  .option('--json', 'print one JSON line per session')
  .action(async (files: string[], flags: ImportFlags) => {
    const { importCommand } = await import('./cli/import-files.ts');
    exitWith(await importCommand(files, flags));
  });

program
  .command('sync')
  .description('bring the session of a transcript up to the file; what is known is not sent again')
  .argument('<file>', 'a file that import reads')
  .option('--watch', 'go on whenever the file has grown, until interrupted')
  .option(
    '--url <url>',
    'sync with the service at this address (PALIMPSEST_URL), not with the store',
  )
  .option('--profile <profile>', 'profile of a new session')
  .option('--context-window <tokens>', 'context window of a new session', tokens)
  .option('--id-prefix <prefix>', 'put this before the session id')
  .option('--tenant <name>', 'name of the API key that the session is for (default: local)')
  .option('--json', 'print one JSON line each time')
  .action(async (file: string, flags: SyncFlags) => {
    const { syncCommand } = await import('./cli/sync-file.ts');
    exitWith(await syncCommand(file, flags));
  });

program
  .command('mcp')
  .description('serve MCP over standard input and output, for clients that start programs')
  .argument('[session]', 'the session that the tools are for; without it the client names one')
  .option('--url <url>', 'ask the service at this address (PALIMPSEST_URL), not the store')
  .option('--tenant <name>', 'name of the API key that the session belongs to (default: local)')
  .action(async (session: string | undefined, flags: TargetFlags) =>
    (await import('./cli/mcp.ts')).mcpCommand(session, flags),
  );

program
  .command('wrap')
  .description('run Claude Code or Codex with a context that never overflows; no file is changed')
  .argument('<program>', 'claude or codex')
  .argument('[args...]', 'its own arguments')
  .option('--url <url>', 'go through the service at this address')
  .option('--model <provider/model>', 'let this model write the summaries (default: from the log)')
  .passThroughOptions()
  .addHelpText(
    'after',
    `
Examples:
  palimpsest wrap claude
  palimpsest wrap codex exec "mend the tests"
  palimpsest wrap --model anthropic/claude-haiku-4-5 claude --resume`,
  )
  .action(async (name: string, args: string[], flags: WrapFlags) => {
    const { wrapCommand } = await import('./cli/wrap.ts');
    process.exitCode = await wrapCommand(name, args, flags);
  });

program
  .command('hook')
  .description('a hook of Claude Code, told on standard input what has happened; never fails')
  .addArgument(new Argument('<program>', 'claude').choices(['claude']))
  .action(async () => (await import('./cli/hook.ts')).hookCommand());

program
  .command('verify')
  .description('compare hash chains and projections of the store with its events')
  .option('--rebuild', 'rebuild heads and projections from the events')
  .action(async (options: { rebuild?: boolean }) => {
    const { verifyCommand } = await import('./cli/verify.ts');
    exitWith(await verifyCommand(options));
  });

program
  .command('reindex')
  .description('write the search index anew from the events')
  .action(async () => exitWith(await (await import('./cli/reindex.ts')).reindexCommand()));

program
  .command('export')
  .description('write a session with all of its events as JSON lines, for import')
  .argument('<session>', 'session id')
  .option('--tenant <name>', 'name of the API key that the session belongs to', 'local')
  .option('--rollout', 'write the audit trail instead, as GET …/rollout does')
  .action(async (session: string, options: ExportFlags) => {
    const { exportCommand } = await import('./cli/export-session.ts');
    const found = await exportCommand(session, options);
    if (!found)
      console.error(
        `there is no session "${session}" of ${options.tenant} in the store: --tenant names another`,
      );
    exitWith(found);
  });

program
  .command('backup')
  .description('write all of the store into one new file, while a service goes on working on it')
  .argument('<to>', 'the file, which only you may read then')
  .action(async (to: string) => (await import('./cli/backup.ts')).backupCommand(to));

program
  .command('restore')
  .description('make the store of DATABASE_URL from a backup; there must be none yet')
  .argument('<from>', 'a file that backup has written, of whichever kind of store')
  .action(async (from: string) => {
    const { restoreCommand } = await import('./cli/restore.ts');
    exitWith(await restoreCommand(from));
  });

program
  .command('archive')
  .description('move the events of idle sessions into an archive; who reads one brings it back')
  .requiredOption(
    '--before <age>',
    'sessions that nothing was written to for so long: 30d, 12h',
    age,
  )
  .option('--to <place>', 'the archive: a folder, or s3://bucket/prefix (PALIMPSEST_ARCHIVE)')
  .option('--tenant <name>', 'only sessions of this API key (default: all)')
  .option('--dry-run', 'only say what would be archived')
  .addHelpText(
    'after',
    `
Examples:
  palimpsest archive --before 30d --to /var/lib/palimpsest/archive
  palimpsest archive --before 30d --to s3://backups/palimpsest
  palimpsest archive --before 12h --tenant local --dry-run`,
  )
  .action(async (flags: ArchiveFlags) => {
    const { archiveCommand } = await import('./cli/archive.ts');
    exitWith(await archiveCommand(flags));
  });

program
  .command('retention')
  .description(
    'erase sessions of a tenant that are too old or too much; says which, without --erase',
  )
  .requiredOption('--tenant <name>', 'name of the API key that the sessions belong to')
  .option(
    '--days <days>',
    'keep what was written to within so many days',
    wholeNumber(1, 100_000, 'days'),
  )
  .option(
    '--bytes <bytes>',
    'keep so much, what was written to last',
    wholeNumber(0, Number.MAX_SAFE_INTEGER, 'bytes'),
  )
  .option('--erase', 'erase them for ever')
  .addHelpText(
    'after',
    `
Examples:
  palimpsest retention --tenant local --days 365
  palimpsest retention --tenant local --bytes 5000000000 --erase`,
  )
  .action(async (flags: RetentionFlags) => {
    const { retentionCommand } = await import('./cli/retention.ts');
    exitWith(await retentionCommand(flags));
  });

program
  .command('vacuum')
  .description('write the store anew without what was erased or archived; others wait meanwhile')
  .action(async () => exitWith(await (await import('./cli/vacuum.ts')).vacuumCommand()));

addReadingCommands(program, exitWith);

for (const command of program.commands) {
  command.showHelpAfterError(`(run palimpsest ${command.name()} --help for usage)`);
}

function exitWith(worked: boolean): void {
  process.exitCode = worked ? 0 : FAILED;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `palimpsest export … | head` closes our output early, and wants no more of it.
  if (error.code === 'EPIPE') process.exit(0);
  console.error(`the output cannot be written: ${plainText(error.message)}`);
  process.exit(FAILED);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reported(error);
}

/** Exit code for what was thrown; says what commander has not said already. */
function reported(error: unknown): number {
  // What a command itself has found wrong about an argument; the others commander has told.
  if (error instanceof InvalidArgumentError) console.error(`error: ${plainText(error.message)}`);
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
  if (error instanceof SettingsError) {
    console.error(plainText(error.message));
    return WRONG_USE;
  }
  console.error(plainText(errorMessage(error)));
  return FAILED;
}
