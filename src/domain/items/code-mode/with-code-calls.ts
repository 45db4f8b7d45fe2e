import { isJsonObject } from '../../json.ts';
import { remembering } from '../../remember.ts';
import { type Expansions, idWithin, withExpansions } from '../expansions.ts';
import type { Normalised, Part, ToolCall, ToolResult } from '../item.ts';
import { partnersIn } from '../pairing.ts';
import { type CodeHeader, codeHeaderOf } from './header.ts';
import { type Printed, printedOf } from './printed.ts';
import { type Code, readCode } from './read-code.ts';

/** Of what a script does not print, there is no more. */
const NOT_PRINTED = '[The script has printed nothing of this.]';
/** The tools whose results are how a command went. */
const COMMANDS = /^(?:exec_command|shell_command|shell|local_shell|write_stdin)$/;
const SCRIPT_ERROR = /^Script error:\s*/;

/**
 * The items with the calls that scripts of Codex's code mode make of tools in place of the scripts, and
 * the part of the output that is theirs in place of the results, as if each had been called by itself.
 * The same list where there is none.
 */
export const withCodeCalls = remembering((items: readonly Normalised[]): readonly Normalised[] => {
  if (!items.some((item) => item.kind === 'message' && item.parts.some(isScript))) return items;
  return withExpansions(items, expansionsIn(items));
});

/** The calls that a script makes; of any other call that alone. */
export function callsInCode(call: ToolCall): readonly ToolCall[] {
  const code = codeOf(call);
  if (code === null) return [call];
  return code.calls.map(({ name, input }, at) => callOf(call, { name, input, at }));
}

const codeOf = remembering((call: ToolCall): Code | null =>
  isScript(call) && typeof call.input === 'string' ? readCode(call.input) : null,
);

function isScript(part: Part): boolean {
  return part.kind === 'tool_call' && part.name === 'exec' && typeof part.input === 'string';
}

/** A script that went on after its call: its code, the calls that have not ended, and what was printed. */
type Cell = { code: Code; pending: number[]; printed: number };

function expansionsIn(items: readonly Normalised[]): Expansions {
  const { results } = partnersIn(items);
  const expansions: Expansions = new Map();
  const cells = new Map<string, Cell>();
  const lastPolls = lastPollsIn(items);
  for (const item of items) {
    for (const part of item.kind === 'message' ? item.parts : []) {
      if (part.kind !== 'tool_call') continue;
      const code = codeOf(part);
      const result = results.get(part)?.result;
      if (code !== null) {
        expansions.set(part, [...callsInCode(part)]);
        if (result !== undefined) {
          expansions.set(result, endedIn(part, result, code, { cells, lastPolls }));
        }
      } else if (result !== undefined && part.name === 'wait') {
        goOn(part, result, cells, expansions);
      }
    }
  }
  return expansions;
}

function callOf(
  script: ToolCall,
  { name, input, at }: { name: string; input: ToolCall['input']; at: number },
): ToolCall {
  return { kind: 'tool_call', id: idWithin(script, at), name, input, source: script.source };
}

/** The results of the calls of a script, as far as anything is known of them. */
function endedIn(
  script: ToolCall,
  result: ToolResult,
  code: Code,
  { cells, lastPolls }: { cells: Map<string, Cell>; lastPolls: ReadonlyMap<string, ToolCall> },
): ToolResult[] {
  const { state, cell, texts, others } = outputOf(result);
  const error = state === 'failed' ? texts.pop()?.replace(SCRIPT_ERROR, '') : undefined;
  const printed = printedOf(code, texts, { from: 0, isOver: state === 'completed' });
  const unprinted = code.calls.flatMap(({ isCertain }, at) =>
    isCertain && !printed.has(at) ? [at] : [],
  );
  const failed = error === undefined ? undefined : failedCall(code, unprinted, error);
  const pending = cell === null ? [] : code.calls.flatMap((_, at) => (printed.has(at) ? [] : [at]));
  if (cell !== null) cells.set(cell, { code, pending, printed: texts.length });
  const last = code.calls.length - 1;
  return code.calls.flatMap(({ name, input, isCertain }, at): ToolResult[] => {
    const own = { kind: 'tool_result' as const, call_id: idWithin(script, at), is_error: false };
    const rest = at === last ? others : [];
    if (at === failed) {
      return [{ ...own, content: [textOf(error ?? ''), ...rest], is_error: true }];
    }
    if (pending.includes(at)) return [{ ...own, content: [textOf(running(`${cell}.${at}`))] }];
    const known = printed.get(at);
    if (known !== undefined) {
      const session = sessionOf(input);
      const goesOn = session !== null && lastPolls.get(session) !== script;
      const isOpen = goesOn && known.exit_code === undefined && known.session_id === undefined;
      return [{ ...own, ...told(name, isOpen ? { ...known, session_id: session } : known, rest) }];
    }
    // After a failure, and in a branch, nobody knows whether it was made.
    const isMade = isCertain && (state === 'completed' || at < (failed ?? 0));
    const note = { ...own, content: [textOf(NOT_PRINTED), ...rest] };
    return [isMade ? note : { ...note, is_in_doubt: true }];
  });
}

/** The call that a script has failed at: one that the error names, else the first that printed nothing. */
function failedCall(code: Code, unprinted: readonly number[], error: string): number | undefined {
  const isNamed = (at: number) => error.includes(code.calls[at]?.name ?? '\n');
  return unprinted.find(isNamed) ?? unprinted[0];
}

/** What a script that was waited for has printed since, as if each of its commands had been asked. */
function goOn(
  wait: ToolCall,
  result: ToolResult,
  cells: Map<string, Cell>,
  expansions: Expansions,
): void {
  const asked = isJsonObject(wait.input) ? wait.input.cell_id : undefined;
  const id = typeof asked === 'number' ? String(asked) : asked;
  const cell = typeof id === 'string' ? cells.get(id) : undefined;
  if (typeof id !== 'string' || cell === undefined || cell.pending.length === 0) return;
  const { state, cell: next, texts, others } = outputOf(result);
  const { code, pending, printed: from } = cell;
  const printed = printedOf(code, texts, { from, isOver: state === 'completed' });
  const isOver = next === null;
  cells.set(id, {
    code,
    pending: isOver ? [] : pending.filter((at) => !printed.has(at)),
    printed: from + texts.length,
  });
  const calls: ToolCall[] = [];
  const results: ToolResult[] = [];
  for (const [place, at] of pending.entries()) {
    const session_id = `${id}.${at}`;
    calls.push(callOf(wait, { name: 'write_stdin', input: { session_id, chars: '' }, at: place }));
    const own = { kind: 'tool_result' as const, call_id: idWithin(wait, place), is_error: false };
    const rest = place === pending.length - 1 ? others : [];
    const known = printed.get(at);
    if (known !== undefined) results.push({ ...own, ...told('write_stdin', known, rest) });
    else if (isOver) results.push({ ...own, content: [textOf(NOT_PRINTED), ...rest] });
    else results.push({ ...own, content: [textOf(running(session_id)), ...rest] });
  }
  expansions.set(wait, calls);
  expansions.set(result, results);
}

/** Per process the last script that asks it: until then it goes on, whatever was printed. */
function lastPollsIn(items: readonly Normalised[]): Map<string, ToolCall> {
  const last = new Map<string, ToolCall>();
  for (const item of items) {
    for (const part of item.kind === 'message' ? item.parts : []) {
      if (part.kind !== 'tool_call') continue;
      for (const { input } of codeOf(part)?.calls ?? []) {
        const session = sessionOf(input);
        if (session !== null) last.set(session, part);
      }
    }
  }
  return last;
}

function sessionOf(input: ToolCall['input']): string | null {
  const id = isJsonObject(input) && !('cmd' in input) ? input.session_id : undefined;
  return typeof id === 'number' || typeof id === 'string' ? String(id) : null;
}

type Output = {
  state: CodeHeader['state'] | 'unknown';
  /** Of a script that goes on. */
  cell: string | null;
  texts: string[];
  /** Pictures, and what else is no text. */
  others: ToolResult['content'];
};

function outputOf(result: ToolResult): Output {
  const all = result.content.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const others = result.content.filter((part) => part.kind !== 'text');
  const [first = ''] = all;
  const header = codeHeaderOf(first);
  if (header === null) return { state: 'unknown', cell: null, texts: all, others };
  const { state, cell, length } = header;
  const texts = first.length > length ? [first.slice(length), ...all.slice(1)] : all.slice(1);
  return { state, cell, texts, others };
}

/** A result as Codex writes that of a command that is called by itself. */
function told(
  name: string,
  { output = '', exit_code, session_id }: Printed,
  others: ToolResult['content'],
): { content: ToolResult['content']; is_exit_hidden?: true } {
  if (exit_code !== undefined) {
    const head = `Wall time: 0 seconds\nProcess exited with code ${exit_code}\nOutput:\n`;
    return { content: [textOf(head + output), ...others] };
  }
  if (session_id !== undefined) {
    return { content: [textOf(running(session_id) + output), ...others] };
  }
  const content = [textOf(output), ...others];
  return COMMANDS.test(name) ? { content, is_exit_hidden: true } : { content };
}

function running(session_id: string): string {
  return `Wall time: 0 seconds\nProcess running with session ID ${session_id}\nOutput:\n`;
}

function textOf(text: string): { kind: 'text'; text: string } {
  return { kind: 'text', text };
}
