import { type ArrayValue, type Shape, shapeOf, type Value } from './json-shape.ts';
import {
  type Asking,
  byCount,
  counted,
  listed,
  type Outline,
  plainOutline,
  SHARE_OF_LIST,
} from './outline.ts';
import type { Source } from './source.ts';

/** Characters of a text that is read to its end. */
const LONGEST = 1_000_000;
const LONGEST_KEY = 40;
/** A member that has so few different values over all rows is a category. */
const MOST_CATEGORIES = 6;
const LONGEST_CATEGORY = 40;
const MOST_UNUSUAL = 5;
const SHARE_OF_ROWS = 0.5;
/** A row that stands on many lines is known by its beginning. */
const MOST_OF_ROW = 3;
/** Of fewer rows none is unusual. */
const LEAST_ROWS = 5;
const USUAL = 0.8;

/** JSON: its shape, its rows with their keys and categories; first, last and unusual rows. */
export function jsonOutline({ source, start, room }: Asking): Outline | null {
  const { text, units } = source;
  const from = units[start]?.from ?? text.length;
  const sign = text
    .slice(from, from + 40)
    .trimStart()
    .charAt(0);
  if (text.length > LONGEST || (sign !== '[' && sign !== '{')) return null;
  const shape = shapeOf(text, from);
  const [first] = shape?.values ?? [];
  if (shape === null || first === undefined || first.kind === 'scalar') return null;
  const rows = rowsOf(shape);
  const what = shape.count > 1 ? `${shape.count} values of JSON` : `JSON, ${described(first)}`;
  const outline = plainOutline(shape.isWhole ? what : `${what}, cut off at its end`);
  outline.share = SHARE_OF_ROWS;
  if (shape.count === 1) outline.notes.push(...membersNote(text, first, room));
  if (rows !== null && rows.values.length > 1) describeRows({ source, start, room }, rows, outline);
  return outline;
}

type Rows = { name: string; values: readonly Value[]; count: number };

/** The longest list of values: those of the text, or the largest array near its surface. */
function rowsOf(shape: Shape): Rows | null {
  if (shape.count > 1) return { name: 'Values', values: shape.values, count: shape.count };
  let largest: { name: string; array: ArrayValue } | null = null;
  const waiting: { name: string; value: Value; depth: number }[] = shape.values.map((value) => ({
    name: '',
    value,
    depth: 0,
  }));
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { name, value, depth } = one;
    if (value.kind === 'array') {
      const isLarger = largest === null || value.size > largest.array.size;
      if (isLarger && value.elements.some(({ kind }) => kind !== 'scalar')) {
        largest = { name, array: value };
      }
    }
    if (depth === 3 || value.kind === 'scalar') continue;
    const inside: [string, Value][] =
      value.kind === 'object'
        ? [...value.members]
        : value.elements.slice(0, 3).map((element) => ['', element]);
    for (const [key, member] of inside) {
      const path = key === '' ? name : name === '' ? clipped(key) : `${name}.${clipped(key)}`;
      waiting.push({ name: path, value: member, depth: depth + 1 });
    }
  }
  if (largest === null) return null;
  const { name, array } = largest;
  const title = name === '' ? 'Elements' : `Elements of ${name}`;
  return { name: title, values: array.elements, count: array.size };
}

function described(value: Value): string {
  switch (value.kind) {
    case 'object':
      return `an object with ${counted(value.size, 'key')}`;
    case 'array':
      return `an array of ${value.size}`;
    case 'scalar':
      return 'a value';
    default:
      return value satisfies never;
  }
}

function membersNote(text: string, value: Value, room: number): string[] {
  if (value.kind !== 'object' || value.size === 0) return [];
  const members = [...value.members].map(([key, member]) =>
    member.kind === 'scalar' ? clipped(key) : `${clipped(key)} (${shortly(text, member)})`,
  );
  return [`Keys: ${listed(members, room * SHARE_OF_LIST)}`];
}

function shortly(text: string, value: Value): string {
  if (value.kind === 'array') return `array of ${value.size}`;
  if (value.kind === 'scalar') return text.slice(value.from, value.to);
  return listed([...value.members.keys()].map(clipped), 60);
}

function clipped(key: string): string {
  return key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key;
}

/** Keys and categories of the rows; the first, the last and the unusual ones are quoted. */
function describeRows(
  { source, room }: Asking,
  { name, values, count }: Rows,
  outline: Outline,
): void {
  const looked = count === values.length ? '' : ` (the first ${values.length} looked at)`;
  const keys = new Map<string, number>();
  const contents = new Map<string, Map<string, number>>();
  for (const value of values) {
    if (value.kind !== 'object') continue;
    for (const [key, member] of value.members) {
      keys.set(key, (keys.get(key) ?? 0) + 1);
      const content = categoryOf(source.text, member);
      const seen = contents.get(key) ?? new Map<string, number>();
      if (seen.size <= MOST_CATEGORIES) seen.set(content, (seen.get(content) ?? 0) + 1);
      contents.set(key, seen);
    }
  }
  const shown = byCount(keys).map(([key, often]) =>
    often === values.length ? clipped(key) : `${clipped(key)} (${often})`,
  );
  const list = shown.length === 0 ? '' : `, keys: ${listed(shown, room * SHARE_OF_LIST)}`;
  outline.notes.push(`${name}: ${count}${looked}${list}`);
  const categories = [...contents].filter(([key, seen]) => isCategory(seen, keys.get(key) ?? 0));
  const notes = categories.map(
    ([key, seen]) =>
      `${clipped(key)}: ${byCount(seen)
        .map(([content, often]) => `${content} ${often}`)
        .join(', ')}`,
  );
  if (notes.length > 0) outline.notes.push(listed(notes, room * SHARE_OF_LIST));
  const rows = [...unusual(source.text, values, keys, categories), values[0], values.at(-1)];
  for (const value of rows) {
    if (value === undefined) continue;
    outline.first.push(...placesOf(source, value));
  }
}

/** A value that can be compared in words; '' for one that is no short scalar. */
function categoryOf(text: string, value: Value): string {
  const isShort = value.kind === 'scalar' && value.to - value.from <= LONGEST_CATEGORY;
  return isShort ? text.slice(value.from, value.to) : '';
}

function isCategory(seen: ReadonlyMap<string, number>, often: number): boolean {
  if (seen.size < 2 || seen.size > MOST_CATEGORIES || seen.has('')) return false;
  return often >= LEAST_ROWS && seen.size <= often / 2;
}

/** Rows that lack what nearly all have, or have what nearly none has. */
function unusual(
  text: string,
  values: readonly Value[],
  keys: ReadonlyMap<string, number>,
  categories: readonly [string, ReadonlyMap<string, number>][],
): Value[] {
  if (values.length < LEAST_ROWS) return [];
  const isRare = (often: number) => often <= (1 - USUAL) * values.length;
  const usualKeys = [...keys].filter(([, often]) => often >= USUAL * values.length);
  return values
    .filter((value) => {
      if (value.kind !== 'object') return false;
      const lacks = usualKeys.some(([key]) => !value.members.has(key));
      const isAlone = [...value.members.keys()].some((key) => isRare(keys.get(key) ?? 0));
      return (
        lacks ||
        isAlone ||
        categories.some(([key, seen]) => {
          const member = value.members.get(key);
          return member !== undefined && isRare(seen.get(categoryOf(text, member)) ?? 0);
        })
      );
    })
    .slice(0, MOST_UNUSUAL);
}

/** The places of the units in which a value stands. */
function placesOf({ units }: Source, { from, to }: Value): number[] {
  let low = 0;
  let high = units.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((units[middle]?.to ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  const places: number[] = [];
  for (let place = low; place < units.length && places.length < MOST_OF_ROW; place++) {
    if ((units[place]?.from ?? 0) >= to) break;
    places.push(place);
  }
  return places;
}
