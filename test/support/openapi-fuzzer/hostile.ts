import type { Json, JsonObject } from '../../../src/domain/json.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** Strings that break careless code. */
export const HOSTILE_STRINGS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u202e\u200b\ufeff',
  '👩‍👩‍👧 日本語 ünïcödé',
  '__proto__',
  'constructor',
  'toString',
  "'; DROP TABLE events; --",
  '" OR "1"="1',
  '%s%n{0}{{7*7}}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'NaN',
  '1e999',
  '-0',
  '<|endoftext|>',
  'a'.repeat(129),
  ' '.repeat(3_000),
  'x'.repeat(20_000),
];

const HOSTILE_NUMBERS = [0, -1, -0, 1.5, 1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 64, -(2 ** 53)];

/** Path segments as they stand in a URL, most of them wrongly encoded or of the wrong kind. */
export const HOSTILE_SEGMENTS: readonly string[] = [
  '%00',
  '%2F',
  '..%2F..',
  '%2e%2e',
  '..',
  '%ZZ',
  '%E0%A4%A',
  '%F0%9F%98%80',
  '%20',
  '0',
  '-1',
  '1.5',
  '9007199254740993',
  '99999999999999999999999',
  '__proto__',
  'undefined',
  'null',
  'a%3Fb',
  'a;b=c',
  '%22quoted%22',
  'x'.repeat(128),
  'x'.repeat(129),
  'x'.repeat(3_000),
];

/** Some JSON value, small but of any type. */
export function randomJson(random: SeededRandom, depth = 0): Json {
  const kind = random.int(0, depth > 2 ? 3 : 5);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(HOSTILE_NUMBERS);
    case 3:
      return random.pick(HOSTILE_STRINGS);
    case 4:
      return Array.from({ length: random.int(0, 3) }, () => randomJson(random, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.int(0, 3) }, () => [
          random.pick(['id', 'type', 'role', 'content', '', 'constructor', 'x']),
          randomJson(random, depth + 1),
        ]),
      );
  }
}

/** The value with one place in it spoiled: another type, missing, additional, too deep. */
export function spoiled(value: Json, random: SeededRandom): Json {
  if (random.chance(0.25)) return spoiledHere(value, random);
  if (Array.isArray(value) && value.length > 0) {
    const at = random.int(0, value.length - 1);
    return value.map((element, index) => (index === at ? spoiled(element, random) : element));
  }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return spoiledHere(value, random);
  const at = random.int(0, entries.length - 1);
  return Object.fromEntries(
    entries.map(([name, inner], index) => [name, index === at ? spoiled(inner, random) : inner]),
  );
}

function spoiledHere(value: Json, random: SeededRandom): Json {
  switch (random.int(0, 5)) {
    case 0:
      return nested(random.pick([10, 63, 64, 65, 1_000]));
    case 1:
      return withoutOne(value, random);
    case 2:
      return withMore(value, random);
    case 3:
      return Array.isArray(value) ? [...value, ...value] : [value];
    default:
      return randomJson(random);
  }
}

function withoutOne(value: Json, random: SeededRandom): Json {
  if (Array.isArray(value)) return value.slice(1);
  if (typeof value !== 'object' || value === null) return null;
  const names = Object.keys(value);
  if (names.length === 0) return null;
  const { [random.pick(names)]: _dropped, ...rest } = value;
  return rest;
}

function withMore(value: Json, random: SeededRandom): Json {
  const more: JsonObject = { [random.pick(HOSTILE_STRINGS)]: randomJson(random) };
  if (Array.isArray(value)) return [...value, more];
  return typeof value === 'object' && value !== null ? { ...value, ...more } : more;
}

function nested(levels: number): Json {
  let value: Json = 'bottom';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { x: value };
  return value;
}

/** A text that is nearly the JSON it was made from. */
export function brokenText(text: string, random: SeededRandom): Uint8Array {
  const bytes = (broken: string) => new TextEncoder().encode(broken);
  switch (random.int(0, 10)) {
    case 0:
      return bytes('');
    case 1:
      return bytes(text.slice(0, random.int(0, text.length)));
    case 2:
      return bytes(`${text}}`);
    case 3:
      return bytes(`\ufeff${text}`);
    case 4:
      return bytes(text.replace('{', '{"__proto__":{"polluted":true},'));
    case 5:
      return bytes(text.replace(/\d+/, '1e999'));
    case 6:
      return bytes(random.pick(['null', '[]', '""', '0', 'NaN', 'undefined', '{}{}', '[[[[']));
    case 7:
      return bytes(`${text}\n${text.slice(0, 20)}\n\n{]`);
    case 8:
      return bytes(text.replaceAll('"', "'"));
    case 9:
      return bytes('['.repeat(random.pick([70, 100_000])));
    default:
      return new Uint8Array([...bytes(text.slice(0, 50)), 0xff, 0xfe, 0xc0]);
  }
}
