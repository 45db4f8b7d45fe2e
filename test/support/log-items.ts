import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import type { Item, Message, Normalised, Part, Role } from '../../src/domain/items/item.ts';
import type { Json } from '../../src/domain/json.ts';
import { advanceLedger } from '../../src/domain/ledger/advance.ts';
import { EMPTY_LEDGER, type Ledger } from '../../src/domain/ledger/ledger.ts';

/** Items of a log as the domain has them, as short to write as to read. Not a test file. */

export function said(role: Role, text: string, flags: Partial<Message> = {}): Message {
  return messageOf(role, [{ kind: 'text', text }], flags);
}

export const asks = (text: string): Message => said('user', text);
export const tells = (text: string): Message => said('assistant', text);

export function messageOf(role: Role, parts: Part[], flags: Partial<Message> = {}): Message {
  return {
    kind: 'message',
    role,
    parts,
    is_meta: false,
    is_compact_summary: false,
    is_api_error_message: false,
    ...flags,
  };
}

let calls = 0;
/** A tool call with its result, or without one when `result` is null. */
export function used(name: string, input: Json, result: string | null, isError = false): Message[] {
  const id = `call_${++calls}`;
  const call = messageOf('assistant', [{ kind: 'tool_call', id, name, input, source: input }]);
  if (result === null) return [call];
  const content = [{ kind: 'text' as const, text: result }];
  return [
    call,
    messageOf('user', [{ kind: 'tool_result', call_id: id, content, is_error: isError }]),
  ];
}

/** A command in Claude Code's shell; `code` is what it ended with. */
export function ran(command: string, output: string, code = 0): Message[] {
  const text = code === 0 ? output : `Exit code ${code}\n${output}`;
  return used('Bash', { command }, text, code !== 0);
}

export function normalised(format: Format, items: readonly Item[]): Normalised[] {
  const codec = codecFor(format);
  return items.map((item) => codec.normalise(item));
}

/** The ledger of a log whose items are numbered from 1. */
export function ledgerOf(items: readonly Normalised[], start: Ledger = EMPTY_LEDGER): Ledger {
  return advanceLedger(
    start,
    items.map((item, index) => ({ seq: start.through + index + 1, item })),
  );
}
