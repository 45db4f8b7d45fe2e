import type { AnyNode, Function as Callable } from 'acorn';
import { isJsonObject, type Json } from '../../json.ts';

/**
 * What an expression of a script is known to be: a constant, (a part of) what a call has returned, things
 * made of these, or a function. Undefined: nobody knows.
 */
export type Value =
  | { kind: 'json'; json: Json }
  /** `field`: one of a command's result; `whole`: all of it; `part`: something made of it. */
  | { kind: 'result'; call: number; field: Field | 'whole' | 'part' }
  | { kind: 'list'; items: readonly (Value | undefined)[] }
  | { kind: 'object'; fields: ReadonlyMap<string, Value | undefined> }
  /** Texts and values, written one behind the other. */
  | { kind: 'text'; pieces: readonly (Value | undefined)[] }
  | { kind: 'function'; code: Callable; scope: Scope };

/** The fields of the result of a command that tell how it went. */
export const FIELDS = ['output', 'exit_code', 'session_id'] as const;
export type Field = (typeof FIELDS)[number];

/** The names of one block and of those around it. */
export class Scope {
  readonly #values = new Map<string, Value | undefined>();
  readonly #outer: Scope | null;

  constructor(outer: Scope | null = null) {
    this.#outer = outer;
  }

  get(name: string): Value | undefined {
    return this.#values.has(name) ? this.#values.get(name) : this.#outer?.get(name);
  }

  declare(name: string, value: Value | undefined): void {
    this.#values.set(name, value);
  }

  assign(name: string, value: Value | undefined): void {
    if (this.#values.has(name) || this.#outer === null) this.#values.set(name, value);
    else this.#outer.assign(name, value);
  }
}

/** Texts are not put together beyond this. */
const LONGEST_TEXT = 500_000;

export function constant(json: Json): Value {
  return { kind: 'json', json };
}

/**
 * The constant that a value is; undefined where a part of it is not known. `spend` is told of each value
 * and text in it, however often it stands there, and may throw.
 */
export function jsonOf(
  value: Value | undefined,
  spend: (characters: number) => void,
): Json | undefined {
  spend(value?.kind === 'json' && typeof value.json === 'string' ? value.json.length : 1);
  switch (value?.kind) {
    case 'json':
      return value.json;
    case 'list': {
      const items = value.items.map((item) => jsonOf(item, spend));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'object': {
      const fields = [...value.fields].map(([key, field]) => [key, jsonOf(field, spend)] as const);
      return Object.fromEntries(fields.flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
    }
    default:
      return undefined;
  }
}

/** What a template or a sum of texts is. */
export function written(pieces: readonly (Value | undefined)[]): Value {
  const parts = pieces.flatMap((piece) => (piece?.kind === 'text' ? piece.pieces : [piece]));
  const texts = parts.map((part) => (part?.kind === 'json' ? wordOf(part.json) : undefined));
  const isKnown = texts.every((text) => text !== undefined);
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  if (!isKnown || length > LONGEST_TEXT) return { kind: 'text', pieces: parts.slice(0, 1_000) };
  return constant(texts.join(''));
}

function wordOf(json: Json): string | undefined {
  return typeof json === 'object' && json !== null ? undefined : String(json);
}

/** A member of a value, by its name or index. */
export function memberOf(of: Value | undefined, key: Json | undefined): Value | undefined {
  switch (of?.kind) {
    case 'json': {
      if (Array.isArray(of.json)) {
        if (key === 'length') return constant(of.json.length);
        const item = typeof key === 'number' ? of.json[key] : undefined;
        return item === undefined ? undefined : constant(item);
      }
      if (!isJsonObject(of.json) || typeof key !== 'string' || !Object.hasOwn(of.json, key)) {
        return undefined;
      }
      const field = of.json[key];
      return field === undefined ? undefined : constant(field);
    }
    case 'list':
      if (key === 'length') return constant(of.items.length);
      return typeof key === 'number' ? of.items[key] : undefined;
    case 'object':
      return typeof key === 'string' ? of.fields.get(key) : undefined;
    case 'result': {
      const field = of.field === 'whole' ? FIELDS.find((name) => name === key) : undefined;
      return { ...of, field: field ?? 'part' };
    }
    default:
      return undefined;
  }
}

/** The members of a list, constant or not; null for what is none. */
export function itemsIn(value: Value | undefined): readonly (Value | undefined)[] | null {
  if (value?.kind === 'list') return value.items;
  return value?.kind === 'json' && Array.isArray(value.json) ? value.json.map(constant) : null;
}

/** The calls whose results a value holds, or is made of. */
export function callsIn(value: Value | undefined): number[] {
  switch (value?.kind) {
    case 'result':
      return [value.call];
    case 'list':
      return value.items.flatMap(callsIn);
    case 'object':
      return [...value.fields.values()].flatMap(callsIn);
    case 'text':
      return value.pieces.flatMap(callsIn);
    default:
      return [];
  }
}

/** `Promise.all` and its kin; what has settled is told with its state. */
export function promised(method: string, given: Value | undefined): Value | undefined {
  const items = itemsIn(given);
  if (method === 'resolve') return given;
  if (items === null || method === 'race' || method === 'any') return undefined;
  if (method !== 'allSettled') return { kind: 'list', items };
  const settled = (value: Value | undefined): Value => ({
    kind: 'object',
    fields: new Map([['value', value]]),
  });
  return { kind: 'list', items: items.map(settled) };
}

/** What a method makes of the result of a call, such as a slice of it. */
export function partOf(of: Value | undefined): Value | undefined {
  if (of?.kind === 'result') return { ...of, field: 'part' };
  return of?.kind === 'text' ? { kind: 'text', pieces: of.pieces.map(partOf) } : undefined;
}

/** The constant that stands in a script; undefined for those that JSON does not have. */
export function literal(value: unknown): Value | undefined {
  const isPlain =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean';
  return isPlain ? constant(value) : undefined;
}

/** The tag of templates that are taken as they are written: `String.raw`. */
export function isRawTag(tag: AnyNode): boolean {
  return (
    tag.type === 'MemberExpression' &&
    tag.object.type === 'Identifier' &&
    tag.object.name === 'String'
  );
}
