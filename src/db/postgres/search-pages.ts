/** The documents of a segment that have a token, by their numbers in it; `rest` is the steps after the first. */
export type Postings = { count: number; first: number; last: number; rest: Buffer };
export type Entry = { token: string; postings: Postings };
/** Entries in the order of their tokens, `token` first. */
export type Page = { token: string; data: Buffer };

/** Four of them, with what PostgreSQL adds, fill one of its pages; a token with many documents is longer. */
const PAGE_BYTES = 1_850;
const NOTHING = Buffer.alloc(0);

/** Tokens as they are written: half a character, which a cut can leave, has no UTF-8. */
export function written(token: string): string {
  return token.toWellFormed();
}

/** A token whose bytes have the order that strings have in JavaScript. */
export function keyOf(token: string): Buffer {
  return Buffer.from(token, 'utf16le').swap16();
}

/** Numbers in ascending order, at least one. */
export function postingsOf(numbers: readonly number[]): Postings {
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? first;
  if (numbers.length === 1) return { count: 1, first, last, rest: NOTHING };
  const bytes = new Bytes();
  for (let at = 1; at < numbers.length; at++) {
    bytes.number((numbers[at] ?? 0) - (numbers[at - 1] ?? 0));
  }
  return { count: numbers.length, first, last, rest: bytes.take() };
}

export function numbersOf({ first, rest }: Postings): number[] {
  const numbers = [first];
  const reader = new Reader(rest);
  for (let at = first; !reader.isAtEnd; ) {
    at += reader.number();
    numbers.push(at);
  }
  return numbers;
}

/** The entries of segments that follow each other as those of one; `documents`: how many each has. */
export function* joined(
  segments: readonly { documents: number; entries: Iterable<Entry> }[],
): Generator<Entry> {
  let offset = 0;
  const heads = segments.map(({ documents, entries }) => {
    const source = entries[Symbol.iterator]();
    const head = { source, offset, next: source.next() };
    offset += documents;
    return head;
  });
  for (;;) {
    let token: string | null = null;
    for (const { next } of heads) {
      if (!next.done && (token === null || next.value.token < token)) token = next.value.token;
    }
    if (token === null) return;
    let postings: Postings | null = null;
    for (const head of heads) {
      const { next, offset, source } = head;
      if (next.done || next.value.token !== token) continue;
      postings = appended(postings, next.value.postings, offset);
      head.next = source.next();
    }
    if (postings !== null) yield { token, postings };
  }
}

function appended(before: Postings | null, { count, first, last, rest }: Postings, offset: number) {
  if (before === null) return { count, first: first + offset, last: last + offset, rest };
  const bytes = new Bytes(before.rest.length + rest.length + 5);
  bytes.append(before.rest);
  bytes.number(first + offset - before.last);
  bytes.append(rest);
  return {
    count: before.count + count,
    first: before.first,
    last: last + offset,
    rest: bytes.take(),
  };
}

/** Writes entries, which come in the order of their tokens, into pages. */
export class PageWriter {
  readonly pages: Page[] = [];
  #bytes = new Bytes(PAGE_BYTES);
  #first = '';
  #before = '';

  add({ token, postings: { count, first, last, rest } }: Entry): void {
    const own = 3 * token.length + rest.length + 12;
    if (this.#bytes.length > 0 && this.#bytes.length + own > PAGE_BYTES) this.end();
    if (this.#bytes.length === 0) {
      this.#first = token;
      this.#before = '';
    }
    const shared = sharedBeginning(this.#before, token);
    const suffix = Buffer.from(token.slice(shared));
    this.#bytes.number(shared);
    this.#bytes.number(suffix.length);
    this.#bytes.append(suffix);
    this.#bytes.number(count);
    this.#bytes.number(first);
    if (count > 1) {
      this.#bytes.number(last - first);
      this.#bytes.number(rest.length);
      this.#bytes.append(rest);
    }
    this.#before = token;
  }

  /** Ends the page that was begun. */
  end(): void {
    if (this.#bytes.length === 0) return;
    this.pages.push({ token: this.#first, data: this.#bytes.take() });
  }
}

export function* entriesIn(pages: readonly Buffer[]): Generator<Entry> {
  for (const page of pages) {
    const reader = new Reader(page);
    for (let token = ''; !reader.isAtEnd; ) {
      token = token.slice(0, reader.number()) + reader.bytes(reader.number()).toString();
      yield { token, postings: reader.postings() };
    }
  }
}

/** The documents that have a token, by the page that it would be in; the tokens before it are not made. */
export function entryOf(page: Buffer, token: string): Postings | null {
  const reader = new Reader(page);
  // So many characters of the token are those of the entry before, which is less.
  for (let common = 0; !reader.isAtEnd; reader.skipPostings()) {
    const shared = reader.number();
    const length = reader.number();
    if (shared > common) {
      // It differs from the token where the one before does.
      reader.skip(length);
      continue;
    }
    const compared = reader.compared(token, shared, length);
    if (compared === 'same') return reader.postings();
    if (compared === 'greater') return null;
    common = shared + compared;
  }
  return null;
}

/** Characters that both begin with, none of them in halves. */
function sharedBeginning(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < most && one.charCodeAt(shared) === other.charCodeAt(shared)) shared += 1;
  const code = one.charCodeAt(shared - 1);
  return code >= 0xd800 && code <= 0xdbff ? shared - 1 : shared;
}

/** Numbers are written seven bits at a time, the lowest first. */
class Bytes {
  #buffer: Buffer;
  length = 0;

  constructor(expected = 64) {
    this.#buffer = Buffer.allocUnsafe(expected);
  }

  number(value: number): void {
    this.#reserve(5);
    let left = value;
    for (; left > 0x7f; left >>>= 7) this.#buffer[this.length++] = (left & 0x7f) | 0x80;
    this.#buffer[this.length++] = left;
  }

  append(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#buffer, this.length);
    this.length += bytes.length;
  }

  /** What was written so far, and begins anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, this.length));
    this.length = 0;
    return taken;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + more));
    this.#buffer.copy(larger, 0, 0, this.length);
    this.#buffer = larger;
  }
}

class Reader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#buffer.length;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#buffer[this.#at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte <= 0x7f) return value;
    }
  }

  bytes(length: number): Buffer {
    const bytes = this.#buffer.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  skip(length: number): void {
    this.#at += length;
  }

  postings(): Postings {
    const count = this.number();
    const first = this.number();
    if (count === 1) return { count, first, last: first, rest: NOTHING };
    const last = first + this.number();
    return { count, first, last, rest: this.bytes(this.number()) };
  }

  skipPostings(): void {
    const count = this.number();
    this.number();
    if (count === 1) return;
    this.number();
    this.skip(this.number());
  }

  /**
   * Reads a text of so many bytes, and compares it with what a token has from a place on: how many
   * characters both begin with where it is less.
   */
  compared(token: string, from: number, bytes: number): number | 'same' | 'greater' {
    const start = this.#at;
    this.#at += bytes;
    for (let at = 0; at < bytes; at++) {
      const byte = this.#buffer[start + at] ?? 0;
      if (byte > 0x7f) {
        const text = this.#buffer.toString('utf8', start + at, this.#at);
        const other = token.slice(from + at);
        if (text === other) return 'same';
        return text > other ? 'greater' : at + sharedBeginning(text, other);
      }
      // Where the token has ended there is no character, and nothing is less than that.
      const character = token.charCodeAt(from + at);
      if (byte !== character) return byte < character ? at : 'greater';
    }
    return from + bytes === token.length ? 'same' : bytes;
  }
}
