import { isJsonObject, type Json, jsonObjectIn } from '../../json.ts';
import { parseInside } from '../../json-text.ts';
import type { Code } from './read-code.ts';
import { callsIn, FIELDS, type Field, type Value } from './value.ts';

/** What was printed of the result of a call: only what is known is there. */
export type Printed = { output?: string; exit_code?: number; session_id?: string };

/**
 * What a script has printed of the results of its calls, by the places of these. `from`: so many texts
 * have been printed before. Where texts and prints do not match, all of them are told of one call.
 */
export function printedOf(
  { calls, prints }: Code,
  texts: readonly string[],
  { from, isOver }: { from: number; isOver: boolean },
): Map<number, Printed> {
  const found = new Map<number, Printed>();
  const due = prints.slice(from);
  const isMatch = isOver ? texts.length === due.length : texts.length <= due.length;
  const [only, ...others] = calls.flatMap(({ isCertain }, at) => (isCertain ? [at] : []));
  if (isMatch) {
    for (const [at, text] of texts.entries()) {
      // What is not understood is of the only call that there is.
      const value = due[at] ?? (others.length === 0 ? resultOf(only) : undefined);
      read(found, value, text);
    }
    return found;
  }
  // Nobody can tell which text is whose: the last call that is printed has them all.
  const last = others.at(-1) ?? only ?? -1;
  const told = due.flatMap(callsIn).reduce((most, call) => Math.max(most, call), last);
  for (const text of told === -1 ? [] : texts) add(found, told, readWhole(text));
  return found;
}

function resultOf(call: number | undefined): Value | undefined {
  return call === undefined ? undefined : { kind: 'result', call, field: 'part' };
}

function add(found: Map<number, Printed>, call: number, printed: Printed): void {
  const before = found.get(call);
  const output = [before?.output, printed.output].filter((text) => text !== undefined);
  found.set(call, {
    ...before,
    ...printed,
    ...(output.length > 0 && { output: output.join('\n') }),
  });
}

/** What the text says that a value was printed as. */
function read(found: Map<number, Printed>, value: Value | undefined, text: string): void {
  switch (value?.kind) {
    case 'result':
      add(found, value.call, value.field === 'whole' ? readWhole(text) : field(value.field, text));
      return;
    case 'list':
    case 'object':
      readJson(found, value, parseInside(text));
      return;
    case 'text':
      readPieces(found, value.pieces, text);
      return;
    default:
      return;
  }
}

/** A whole result is printed as its JSON. */
function readWhole(text: string): Printed {
  const json = text.startsWith('{') ? jsonObjectIn(text) : null;
  const isResult =
    json !== null && FIELDS.some((name) => Object.hasOwn(json, name) && json[name] !== null);
  if (!isResult) return { output: text };
  return Object.assign({}, ...FIELDS.map((name) => field(name, json[name])));
}

function field(name: Field | 'part', value: Json | undefined): Printed {
  const isNothing = value === undefined || value === null || value === 'undefined';
  switch (name) {
    case 'exit_code': {
      const code = isNothing || value === '' ? Number.NaN : Number(value);
      return Number.isInteger(code) ? { exit_code: code } : {};
    }
    case 'session_id':
      return !isNothing && /^[\w-]{1,40}$/.test(String(value)) ? { session_id: String(value) } : {};
    case 'output':
    case 'part':
      return isNothing ? {} : { output: typeof value === 'string' ? value : JSON.stringify(value) };
    default:
      return name satisfies never;
  }
}

function readJson(
  found: Map<number, Printed>,
  value: Value | undefined,
  json: Json | undefined,
): void {
  if (value === undefined || json === undefined) return;
  if (value.kind === 'list' && Array.isArray(json)) {
    for (const [at, item] of value.items.entries()) readJson(found, item, json[at]);
  } else if (value.kind === 'object' && isJsonObject(json)) {
    for (const [key, of] of value.fields) readJson(found, of, json[key]);
  } else if (value.kind === 'result') {
    const printed =
      value.field === 'whole'
        ? readWhole(typeof json === 'string' ? json : JSON.stringify(json))
        : field(value.field, json);
    add(found, value.call, printed);
  } else if (value.kind === 'text' && typeof json === 'string') {
    readPieces(found, value.pieces, json);
  }
}

/** The values between the constant texts of a template, each up to where the next text stands. */
function readPieces(
  found: Map<number, Printed>,
  pieces: readonly (Value | undefined)[],
  text: string,
): void {
  let at = 0;
  let open: Value[] = [];
  const close = (end: number) => {
    const part = text.slice(at, end);
    // Side by side, nobody can tell where the one ends.
    const [first] = open;
    const output = open.find((one) => one.kind === 'result' && one.field === 'output') ?? first;
    if (open.length === 1) read(found, first, part);
    else if (output?.kind === 'result') add(found, output.call, { output: part });
    open = [];
  };
  for (const piece of pieces) {
    if (piece?.kind !== 'json') {
      open.push(piece ?? { kind: 'list', items: [] });
      continue;
    }
    const literal = String(piece.json);
    if (literal === '') continue;
    const start = text.indexOf(literal, at);
    if (start === -1) break;
    close(start);
    at = start + literal.length;
  }
  close(text.length);
}
