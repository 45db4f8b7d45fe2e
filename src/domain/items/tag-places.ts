import { addTo } from '../group-by.ts';
/** A tag of a text; `at` and `end` are the indexes of `<` and just after `>`. */
export type TagPlace = {
  /** In lower case. */
  name: string;
  at: number;
  end: number;
  isClosing: boolean;
  /** Its place among the tags of its name. */
  index: number;
};

/** In quotes an attribute may have any sign, as a summary in an agent's own words does. */
const TAG =
  /<(\/?)([a-z][\w-]{0,60}(?: instructions)?)(?:(?:\s{1,4}[\w:-]{1,60}="[^"\n]{0,1000}"){1,20}\s{0,4}|\s[^<>]{0,1000})?\/?>/gi;

/**
 * So many characters at either end of a text are searched for tags: what programs add stands there, and
 * nobody can make an append wait by filling megabytes with tags. A block that reaches from there into
 * the middle is followed by a plain search.
 */
const SEARCHED = 100_000;

/** The tags at both ends of a text, paired by name. */
export class TagPlaces {
  readonly #text: string;
  readonly #names: ReadonlySet<string>;
  readonly #byStart = new Map<number, TagPlace>();
  readonly #byEnd = new Map<number, TagPlace>();
  readonly #byName = new Map<string, TagPlace[]>();
  readonly #partner = new Map<TagPlace, TagPlace>();
  #isRead = false;

  /** `names` are those of the tags that are looked for, in lower case. */
  constructor(text: string, names: ReadonlySet<string>) {
    this.#text = text;
    this.#names = names;
  }

  /** Most texts neither begin nor end with a tag: those are not searched. */
  #read(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    const { length } = this.#text;
    if (length <= SEARCHED * 2) {
      this.#search(0, length);
    } else {
      // Each end by itself: what is open in the first may be closed in between.
      this.#search(0, SEARCHED);
      this.#search(length - SEARCHED, length);
    }
  }

  #search(from: number, to: number): void {
    const found = new Map<string, TagPlace[]>();
    for (const match of this.#text.slice(from, to).matchAll(TAG)) {
      const name = (match[2] ?? '').toLowerCase();
      if (!this.#names.has(name)) continue;
      const index = this.#byName.get(name)?.length ?? 0;
      const at = from + match.index;
      const end = at + match[0].length;
      const place = { name, at, end, isClosing: match[1] === '/', index };
      addTo(this.#byName, name, place);
      addTo(found, name, place);
      this.#byStart.set(at, place);
      this.#byEnd.set(end, place);
    }
    for (const all of found.values()) this.#pair(all);
  }

  at(index: number): TagPlace | null {
    if (!this.#names.has(nameIn(this.#text.slice(index, index + 80)))) return null;
    this.#read();
    return this.#byStart.get(index) ?? null;
  }

  /** The closing tag that ends here. */
  closingAt(end: number): TagPlace | null {
    const last = this.#text.slice(Math.max(0, end - 80), end);
    const from = last.lastIndexOf('</');
    if (from < 0 || !this.#names.has(nameIn(last.slice(from)))) return null;
    this.#read();
    const place = this.#byEnd.get(end);
    return place?.isClosing === true ? place : null;
  }

  /**
   * The tag that closes this one. Where more are opened than closed it is the last one: a block may
   * speak of its own tag. Null when none follows.
   */
  closing(open: TagPlace): TagPlace | null {
    const partner = this.#partner.get(open);
    if (partner !== undefined) return partner;
    const beyond = this.#inTheMiddle(`</${open.name}>`, (tag, from) =>
      this.#text.indexOf(tag, from),
    );
    if (beyond !== null) return { ...open, ...beyond, isClosing: true };
    const last = this.#byName.get(open.name)?.findLast(({ isClosing }) => isClosing);
    return last !== undefined && last.at > open.at ? last : null;
  }

  /** The last tag that closes one of this name; null when none follows. */
  lastClosing(open: TagPlace): TagPlace | null {
    const last = this.#byName.get(open.name)?.findLast(({ isClosing }) => isClosing);
    const isAtEnd = last !== undefined && last.at >= this.#text.length - SEARCHED;
    const beyond = isAtEnd
      ? null
      : this.#inTheMiddle(`</${open.name}>`, (tag, _, to) => this.#text.lastIndexOf(tag, to));
    if (beyond !== null) return { ...open, ...beyond, isClosing: true };
    return last !== undefined && last.at > open.at ? last : null;
  }

  /** The tag that this one closes; null when none is left for it. */
  opening(close: TagPlace): TagPlace | null {
    const partner = this.#partner.get(close);
    if (partner !== undefined) return partner;
    const beyond = this.#inTheMiddle(`<${close.name}>`, (tag, _, to) =>
      this.#text.lastIndexOf(tag, to),
    );
    return beyond === null ? null : { ...close, ...beyond, isClosing: false };
  }

  /** The first opening tag from here on that stands before this closing one of its name; null where none does. */
  firstOpening(close: TagPlace, from: number): TagPlace | null {
    const all = this.#byName.get(close.name) ?? [];
    return all.find(({ isClosing, at }) => !isClosing && at >= from && at < close.at) ?? null;
  }

  /** Where a tag stands in the part of a long text that is not searched for all of them. */
  #inTheMiddle(
    tag: string,
    find: (tag: string, from: number, to: number) => number,
  ): Pick<TagPlace, 'at' | 'end'> | null {
    const [from, to] = [SEARCHED, this.#text.length - SEARCHED];
    const at = from < to ? find(tag, from, to) : -1;
    return at >= from && at < to ? { at, end: at + tag.length } : null;
  }

  #pair(all: readonly TagPlace[]): void {
    const open: TagPlace[] = [];
    for (const place of all) {
      if (!place.isClosing) {
        open.push(place);
        continue;
      }
      const partner = open.pop();
      if (partner === undefined) continue;
      this.#partner.set(partner, place);
      this.#partner.set(place, partner);
    }
  }
}

/** The name of the tag that a text begins with, in lower case; '' when it begins with none. */
function nameIn(text: string): string {
  const name = /^<\/?([a-z][\w-]{0,60}(?: instructions)?)(?=[\s/>])/i.exec(text)?.[1];
  return name?.toLowerCase() ?? '';
}

/** Where the next character stands that is no white space; the end of the text where none does. */
export function skipSpace(text: string, from: number): number {
  const space = /\S/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? text.length;
}
