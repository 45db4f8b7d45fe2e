import { type Command, Option } from 'commander';
import type { CompactFlags } from './commands/compact.ts';
import type { ContextFlags } from './commands/context.ts';
import type { CoveredFlags } from './commands/covered.ts';
import type { DiffFlags } from './commands/diff.ts';
import type { DoctorFlags } from './commands/doctor.ts';
import type { ListFlags } from './commands/list.ts';
import type { RevertFlags } from './commands/revert.ts';
import type { SearchFlags } from './commands/search.ts';
import type { TraceFlags } from './commands/trace.ts';
import { wholeNumber } from './option-values.ts';
import type { ReadingFlags } from './reading.ts';

// Not from the domain, which would have to be loaded for --help; a test compares them.
export const ROLES = ['system', 'user', 'assistant', 'tool'];
export const KINDS = ['message', 'tool_call', 'tool_result', 'reasoning', 'attachment', 'summary'];
export const STATES = ['in_context', 'cleared', 'summarised'];
export const MODES = ['auto', 'micro', 'full', 'remote'];

const LARGEST = 999_999_999_999_999;
const version = wholeNumber(1, LARGEST, 'versions');
const seq = wholeNumber(1, LARGEST, 'items');
const lines = wholeNumber(2, 1_000_000, 'lines');

/** Adds the commands that ask the API and print its answers. Each is loaded when it runs. */
export function addReadingCommands(program: Command, exitWith: (worked: boolean) => void): void {
  readingCommand(program, 'list', 'the sessions, newest first', [
    'palimpsest list',
    'palimpsest list --json | jq -r ".data[].id"',
  ])
    .option('--limit <count>', 'so many of them, at most 500', wholeNumber(1, 500, 'sessions'), 20)
    .option('--cursor <cursor>', 'go on where the page before has ended')
    .action(async (flags: ListFlags) => (await import('./commands/list.ts')).listCommand(flags));

  readingCommand(program, 'show', 'where a session stands, or one item or compaction in full', [
    'palimpsest show chat-7',
    'palimpsest show chat-7 12',
    'palimpsest show chat-7 01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f',
  ])
    .argument('<session>', 'session id')
    .argument('[seq or compaction]', 'number of an item, or id of a compaction')
    .action(async (session: string, what: string | undefined, flags: ReadingFlags) => {
      if (what === undefined)
        return (await import('./commands/show-session.ts')).showSession(session, flags);
      if (/^\d{1,15}$/.test(what))
        return (await import('./commands/show-item.ts')).showItem(session, seq(what), flags);
      return (await import('./commands/show-compaction.ts')).showCompaction(session, what, flags);
    });

  readingCommand(program, 'context', 'what goes to the model: now, or as it was', [
    'palimpsest context chat-7',
    'palimpsest context chat-7 --at 40',
    'palimpsest context chat-7 --text --limit 100000 | less',
  ])
    .argument('<session>', 'session id')
    .option('--at <version>', 'as it was at this version', version)
    .option('--limit <lines>', 'print so many items, from both ends', lines, 40)
    .action(async (session: string, flags: ContextFlags) =>
      (await import('./commands/context.ts')).contextCommand(session, flags),
    );

  readingCommand(program, 'diff', 'what a compaction has changed in the context', [
    'palimpsest show chat-7',
    'palimpsest diff chat-7 01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f',
    'palimpsest diff chat-7 01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f --covered',
  ])
    .argument('<session>', 'session id')
    .argument('<compaction>', 'its id, as show prints it')
    .option('--covered', 'print what it took away, item by item, and where each is now')
    .option('--cursor <cursor>', 'with --covered: go on where the page before has ended')
    .option('--limit <lines>', 'print so many of each list, from both ends', lines, 20)
    .action(
      async (
        session: string,
        compaction: string,
        flags: DiffFlags & CoveredFlags & { covered?: boolean },
      ) => {
        if (flags.covered === true)
          return (await import('./commands/covered.ts')).coveredCommand(session, compaction, flags);
        return (await import('./commands/diff.ts')).diffCommand(session, compaction, flags);
      },
    );

  readingCommand(program, 'trace', 'where an item is now, and what has happened to it', [
    'palimpsest trace chat-7 4',
  ])
    .argument('<session>', 'session id')
    .argument('<seq>', 'number of the item, as context, diff and search print it', seq)
    .option('--at <version>', 'where it was at this version', version)
    .option('--of <session>', 'in a fork: the session whose item it is, as search names it')
    .action(async (session: string, item: number, flags: TraceFlags) =>
      (await import('./commands/trace.ts')).traceCommand(session, item, flags),
    );

  readingCommand(program, 'search', 'find what was ever said, whatever has become of it', [
    'palimpsest search prompts.go',
    'palimpsest search \'"connection refused"\' --session chat-7',
    'palimpsest search --kind tool_result -- refused -timeout',
    "palimpsest search --regex 'E_[A-Z]+_[0-9]+'",
  ])
    .argument('<words...>', 'words, "a phrase", begin*, -without, this OR that')
    .option('--session <id>', 'in this session only')
    .option('--regex', 'the words are a regular expression')
    .addOption(new Option('--role <role>', 'of this role').choices(ROLES))
    .addOption(new Option('--kind <kind>', 'of this kind').choices(KINDS))
    .option('--tool <name>', 'calls of this tool and their results')
    .addOption(new Option('--state <state>', 'that stands there now').choices(STATES))
    .option('--since <time>', 'from this time on, such as 2026-01-02T03:04:05Z')
    .option('--until <time>', 'before this time')
    .option('--limit <count>', 'so many hits, at most 50', wholeNumber(1, 50, 'hits'), 10)
    .option('--cursor <cursor>', 'go on where the page before has ended')
    .action(async (words: string[], flags: SearchFlags) =>
      (await import('./commands/search.ts')).searchCommand(words, flags),
    );

  readingCommand(program, 'compact', 'compact a session now, or see what that would do', [
    'palimpsest compact chat-7 --dry-run',
    "palimpsest compact chat-7 --mode full --focus 'the database migration'",
  ])
    .argument('<session>', 'session id')
    .addOption(new Option('--mode <mode>', 'auto unless given').choices(MODES))
    .option('--focus <text>', 'what the summary is to dwell on')
    .option('--instructions <text>', 'what the summariser is told besides')
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--propose', 'make it, and change nothing before it is applied')
    .option('--wait <seconds>', 'wait so long for its end', wholeNumber(0, 86_400, 'seconds'), 600)
    .action(async (session: string, flags: CompactFlags) => {
      const { compactCommand } = await import('./commands/compact.ts');
      exitWith(await compactCommand(session, flags));
    });

  readingCommand(program, 'revert', 'undo a compaction', [
    'palimpsest revert chat-7 01936f5e-7d0a-7c2e-9d5b-0b5f3c1d2e4f',
  ])
    .argument('<session>', 'session id')
    .argument('<compaction>', 'its id, as show prints it')
    .option('--cascade', 'undo the later ones that build on it, too')
    .action(async (session: string, compaction: string, flags: RevertFlags) =>
      (await import('./commands/revert.ts')).revertCommand(session, compaction, flags),
    );

  program
    .command('doctor')
    .description('check settings, port, disk, store, events, search, threads, queue and model')
    .option('--url <url>', 'check the service at this address (PALIMPSEST_URL), not this machine')
    .option('--json', 'print the findings as JSON, as it does where the output is no terminal')
    .option('--text', 'print them for people, as it does on a terminal')
    .addHelpText(
      'after',
      `
It changes nothing but an older store, which it brings to the schema of this release as every command
does, and asks each model that is set up for one word. Exit code 1 where there is trouble.

Examples:
  palimpsest doctor
  palimpsest doctor --url http://127.0.0.1:8787`,
    )
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import('./commands/doctor.ts');
      exitWith(await doctorCommand(flags));
    });
}

/** A command with the options that all of these have, and examples in its help. */
function readingCommand(
  program: Command,
  name: string,
  description: string,
  examples: readonly string[],
): Command {
  return program
    .command(name)
    .description(description)
    .option('--url <url>', 'ask the service at this address (PALIMPSEST_URL), not the store')
    .option('--tenant <name>', 'name of the API key whose sessions these are (default: local)')
    .option('--json', 'print the answer as JSON, as it does where the output is no terminal')
    .option('--text', 'print it for people, as it does on a terminal')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
}
