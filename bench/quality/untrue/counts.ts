import { isJsonObject } from '../../../src/domain/json.ts';
import { type Call, stringsIn } from '../conversation.ts';
import { pathField } from '../edits.ts';
import { endedBadly, hasFailed } from '../runs.ts';
import { fileNames } from '../touched.ts';
import type { Log, Statement, Untrue } from './statement.ts';

/** Figures of a summary that the log does not bear out: calls of a tool, uses of a file, tests. */
export function wrongCounts(statements: readonly Statement[], log: Log): Untrue[] {
  return statements.flatMap((statement) => [
    ...wrongCalls(statement, log),
    ...wrongUses(statement, log),
    ...wrongTests(statement, log),
    ...wrongMessages(statement, log),
  ]);
}

const CALLS = /\b(\d{1,6})\s*(?:×|x|times|calls?|runs?|invocations?|uses)(?![\w-])/;
const FAILED = /\b(\d{1,6})\s+(?:of them\s+)?(?:failed|failures?|errors)\b/;

/** A line that begins with the name of a tool, and how often it ran. */
function wrongCalls({ text }: Statement, { conversation, kept }: Log): Untrue[] {
  const [, name = ''] = /^(?:(?:the )?tool )?[*`]*([\w.-]+)[*`]*(?::| was| ran)/i.exec(text) ?? [];
  const calls = conversation.calls.filter((call) => call.name === name);
  if (calls.length === 0) return [];
  const beside = kept.filter((call) => call.name === name);
  const [fewest, most] = failures(calls);
  const ranges = {
    calls: [calls.length - beside.length, calls.length],
    failures: [fewest - failures(beside)[1], most],
  } satisfies Record<string, [number, number]>;
  return [
    ...differs(CALLS.exec(text)?.[1], ranges.calls, text, `calls of ${name}`),
    ...differs(FAILED.exec(text)?.[1], ranges.failures, text, `failures of ${name}`),
  ];
}

/** At least what failed by the rules of this measurement, at most all that did not end well by any sign. */
function failures(calls: readonly Call[]): [number, number] {
  const ended = calls.filter((call) => hasFailed(call) || endedBadly(call));
  return [calls.filter(hasFailed).length, ended.length];
}

const USE =
  /\b(read|viewed|opened|edited|changed|modified|written|created)(?:\s*[:,]?\s*)(?:(\d{1,6})\s*(?:×|x|times)|once|twice)/gi;
const COUNTED_USE = /\b(\d{1,6})\s+(reads?|edits?|changes|writes?)\b/gi;

/** How often a file was read or edited: at least what calls say that name it, at most all that do. */
function wrongUses({ text }: Statement, log: Log): Untrue[] {
  // A line about a file begins with its path, also where that has no ending.
  const own = /^\W*([\w@-][\w./@-]*): /.exec(text)?.[1];
  const file = own ?? fileNames(text.slice(0, 300))[0]?.replace(/^\W+/, '');
  if (file === undefined) return [];
  const named = [...text.matchAll(USE)].map((match): [string, number] => [
    match[1] ?? '',
    match[2] === undefined ? (/once/i.test(match[0]) ? 1 : 2) : Number(match[2]),
  ]);
  const counted = [...text.matchAll(COUNTED_USE)].map((match): [string, number] => [
    match[2] ?? '',
    Number(match[1]),
  ]);
  return [...named, ...counted].flatMap(([verb, count]) => {
    const isRead = /^(?:read|view|open)/i.test(verb);
    const range = isRead ? reads(file, log) : changes(file, log);
    // What has created a file is told by itself.
    const all = !isRead && /: created, /.test(text) ? count + 1 : count;
    return differs(String(all), range, text, `${verb} of ${file}`);
  });
}

function reads(file: string, { conversation, kept }: Log): [number, number] {
  const plain = new Map<string, number>();
  for (const call of conversation.calls) {
    const path = isJsonObject(call.input) ? (pathField(call.input) ?? '') : '';
    const isRead = /read|view|open|cat/i.test(call.name) && call.result !== null;
    if (isRead && isFile(path, file) && !hasFailed(call))
      plain.set(path, (plain.get(path) ?? 0) + 1);
  }
  // Several files can be meant by one name; then the least is that of one of them.
  const least = plain.size === 0 ? 0 : Math.min(...plain.values());
  return [least - mentions(kept, file), mentions(conversation.calls, file)];
}

function changes(file: string, { edits, conversation, kept }: Log): [number, number] {
  const own = edits.filter(({ path }) => isFile(path, file));
  // A line may tell written from edited, and mean one of several files: the least of these.
  const groups = new Map<string, Set<number>>();
  for (const { path, kind, item } of own) {
    const group = `${kind} ${path}`;
    groups.set(group, (groups.get(group) ?? new Set()).add(item));
  }
  const least = groups.size === 0 ? 0 : Math.min(...[...groups.values()].map(({ size }) => size));
  const most = Math.max(own.length, mentions(conversation.calls, file));
  return [least - mentions(kept, file), most];
}

/** A summary may shorten a path at its beginning. */
function isFile(path: string, file: string): boolean {
  return path === file || path.endsWith(`/${file}`) || file.endsWith(`/${path}`);
}

/** How often calls name a file; one command can read it more than once. */
function mentions(calls: readonly Call[], file: string): number {
  return calls
    .flatMap(({ input }) => fileNames(stringsIn(input).join('\n')))
    .filter((name) => isFile(name, file) || isFile(file, name)).length;
}

/** `12 tests passed`: some result has to say so. */
function wrongTests({ text }: Statement, { of_all }: Log): Untrue[] {
  const told = /\b(\d{1,6})\s+(?:tests?\s+)?(passed|passing|pass)\b/i.exec(text);
  if (told?.[1] === undefined) return [];
  const number = `(?<!\\d)${told[1]}(?!\\d)`;
  const stands = new RegExp(`${number}[^\\n]{0,30}pass|pass[^\\n]{0,30}${number}`);
  return stands.test(of_all) ? [] : [{ lie: 'count', text, why: `nothing says ${told[0]}` }];
}

function wrongMessages({ text }: Statement, { said }: Log): Untrue[] {
  const count = /\b(\d{1,6}) (?:user messages|(?:messages|requests) of the user)\b/i.exec(
    text,
  )?.[1];
  return differs(count, [said.length, said.length], text, 'messages of the user');
}

function differs(
  told: string | undefined,
  [least, most]: [number, number],
  text: string,
  what: string,
): Untrue[] {
  if (told === undefined || (Number(told) >= least && Number(told) <= most)) return [];
  const truth = least === most ? `${least}` : `${least} to ${most}`;
  return [{ lie: 'count', text, why: `${what}: ${truth}, not ${told}` }];
}
