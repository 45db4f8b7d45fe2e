/** A value of JSON, with the place where it stands in the text. */
export type Value = { from: number; to: number } & (
  | { kind: 'scalar' }
  /** `size` counts all members; of those of one key the last is known. */
  | { kind: 'object'; size: number; members: Map<string, Value> }
  | { kind: 'array'; size: number; elements: Value[] }
);
export type ArrayValue = Extract<Value, { kind: 'array' }>;
type Container = Exclude<Value, { kind: 'scalar' }>;

/** Values that follow each other, as in JSON lines; `isWhole`: the last of them ends. */
export type Shape = { values: Value[]; count: number; isWhole: boolean };

/** Values that stand deeper are counted where they stand, and not looked at. */
const DEEPEST = 4;
const MOST_ELEMENTS = 1_000;
const MOST_MEMBERS = 40;
const LONGEST_KEY = 80;

/** Of containers that are not looked at. */
const NO_MEMBERS: Map<string, Value> = new Map();
const NO_ELEMENTS: Value[] = [];

const SCALAR = /(?:true|false|null|-?\d{1,400}(?:\.\d{1,400})?(?:[eE][-+]?\d{1,5})?)(?![\w.])/y;

/** Reads JSON from a place of a text on; null where none stands. Linear, and without recursion. */
export function shapeOf(text: string, start: number): Shape | null {
  const shape: Shape = { values: [], count: 0, isWhole: false };
  const open: Container[] = [];
  let key: string | null = null;
  for (let at = afterSpace(text, start); at < text.length; at = afterSpace(text, at)) {
    const parent = open.at(-1);
    const sign = text.charAt(at);
    const wantsKey = parent?.kind === 'object' && key === null;
    if (sign === '}' || sign === ']') {
      if (parent?.kind !== (sign === '}' ? 'object' : 'array') || key !== null) return null;
      at += 1;
      parent.to = at;
      open.pop();
    } else if (sign === ',') {
      if (parent === undefined || key !== null) return null;
      at += 1;
    } else if (sign === '"' && wantsKey) {
      const end = endOfString(text, at);
      const colon = end === -1 ? text.length : afterSpace(text, end);
      if (colon >= text.length) break;
      if (text.charAt(colon) !== ':') return null;
      key = text.slice(at + 1, Math.min(end - 1, at + 1 + LONGEST_KEY));
      at = colon + 1;
    } else {
      if (wantsKey) return null;
      const isKept = open.length <= DEEPEST && keeps(shape, parent, key);
      const value = valueAt(text, at, sign, isKept && open.length < DEEPEST);
      if (value === null) return null;
      if (parent === undefined) shape.count += 1;
      else parent.size += 1;
      if (isKept) add(shape, parent, key, value);
      key = null;
      at = value.to;
      if (value.kind !== 'scalar') open.push(value);
    }
  }
  for (const value of open) value.to = text.length;
  return { ...shape, isWhole: open.length === 0 };
}

/** The value that begins at a place; a container is open yet, and a string may lack its end. */
function valueAt(text: string, from: number, sign: string, isOpen: boolean): Value | null {
  const place = { from, to: from + 1, size: 0 };
  if (sign === '{') return { kind: 'object', ...place, members: isOpen ? new Map() : NO_MEMBERS };
  if (sign === '[') return { kind: 'array', ...place, elements: isOpen ? [] : NO_ELEMENTS };
  if (sign === '"') {
    const end = endOfString(text, from);
    return { kind: 'scalar', from, to: end === -1 ? text.length : end };
  }
  SCALAR.lastIndex = from;
  return SCALAR.test(text) ? { kind: 'scalar', from, to: SCALAR.lastIndex } : null;
}

/** Whether the next value inside this one, or at the surface, is looked at. */
function keeps(shape: Shape, parent: Container | undefined, key: string | null): boolean {
  if (parent === undefined) return shape.values.length < MOST_ELEMENTS;
  if (parent.kind === 'array') {
    return parent.elements !== NO_ELEMENTS && parent.elements.length < MOST_ELEMENTS;
  }
  return key !== null && parent.members !== NO_MEMBERS && parent.members.size < MOST_MEMBERS;
}

function add(shape: Shape, parent: Container | undefined, key: string | null, value: Value): void {
  if (parent === undefined) shape.values.push(value);
  else if (parent.kind === 'array') parent.elements.push(value);
  else if (key !== null) parent.members.set(key, value);
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** Behind the quote that ends a string; -1 when none does. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 92 && at - 1 - escapes > from) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return -1;
}
