import { nameKey, readNames } from '../names.ts';
import { bothEnds, withoutKeys } from '../text.ts';
import type { Name } from './ledger.ts';

/** Where the fold stands: the item, and how many were folded. */
type Moment = { seq: number; at: number };

/** Who mentions a name. What the agent writes itself it will most likely write again. */
type Mentioner = 'assistant' | 'user' | 'tool_output';
const WEIGHT: Record<Mentioner, number> = { assistant: 5, user: 3, tool_output: 0.5 };
/** Items after which a mention says half as much about what is needed next. */
const HALF_LIFE = 60;
/** Spellings that are remembered while a log is read. */
const MOST_KEYS = 20_000;
/** What of its whole weight a name keeps however long ago it was mentioned. */
const LASTING = 0.25;

/** What was learned about spellings while a log is read. */
export class Spellings {
  private readonly keys = new Map<string, string>();

  keyOf(name: string): string {
    let key = this.keys.get(name);
    if (key === undefined) {
      key = nameKey(name);
      if (this.keys.size < MOST_KEYS) this.keys.set(name, key);
    }
    return key;
  }
}

/** Names by who mentions them, how often and how lately, with the file that they were met in. */
export class NameIndex {
  private readonly held: Map<string, Name>;
  private readonly spellings: Spellings;

  constructor(names: readonly Name[], spellings: Spellings) {
    this.spellings = spellings;
    this.held = new Map(
      names.map((one): [string, Name] => [spellings.keyOf(one.name), { ...one }]),
    );
  }

  /** `file`: whose content the text is. */
  mention(text: string, by: Mentioner, { seq, at }: Moment, file?: string): void {
    const mentions = new Map<string, { name: string; count: number }>();
    readNames(withoutKeys(bothEnds(text)), (name, key) => {
      const before = mentions.get(key);
      if (before === undefined) mentions.set(key, { name, count: 1 });
      else before.count++;
    });
    for (const [key, { name, count }] of mentions) {
      let held = this.held.get(key);
      if (held === undefined) {
        held = { seq, last_seq: seq, name, weight: 0, heat: 0, at };
        this.held.set(key, held);
      }
      // The tenth mention in one text says less than the first.
      const worth = WEIGHT[by] * (1 + Math.log2(count));
      held.heat = rounded(cooled(held, at) + worth);
      held.weight = rounded(held.weight + worth);
      held.at = at;
      held.last_seq = seq;
      if (name.length > held.name.length) held.name = name;
      if (file !== undefined) held.file = file;
    }
  }

  /** Notes in which file the names of a text stand, that are mentioned elsewhere. */
  meet(text: string, file: string): void {
    readNames(withoutKeys(bothEnds(text)), (_, key) => {
      const held = this.held.get(key);
      if (held !== undefined) held.file = file;
    });
  }

  /** Of the names that were met in a file, only those that `isThere` are so any more. */
  keep(file: string, isThere: (name: string) => boolean): void {
    for (const one of this.held.values()) {
      if (one.file === file && !isThere(one.name)) delete one.file;
    }
  }

  /** What was met in a file stands in it no more. */
  drop(file: string, names: readonly string[]): void {
    for (const name of names) {
      const held = this.held.get(this.spellings.keyOf(name));
      if (held?.file === file) delete held.file;
    }
  }

  /** What was met in one file stands in another one. */
  move(file: string, to: string): void {
    for (const one of this.held.values()) if (one.file === file) one.file = to;
  }

  get size(): number {
    return this.held.size;
  }

  /** The names, heaviest first. */
  facts(at: number): Name[] {
    return [...this.held.values()]
      .map((one) => ({ one, score: scoreOf(one, at) }))
      .sort((a, b) => b.score - a.score || (a.one.name < b.one.name ? -1 : 1))
      .map(({ one }) => one);
  }
}

/** How much a name matters when so many items have been folded. */
export function scoreOf(name: Name, at: number): number {
  return LASTING * name.weight + cooled(name, at);
}

function cooled({ heat, at: then }: Name, now: number): number {
  return now === then ? heat : heat * 0.5 ** ((now - then) / HALF_LIFE);
}

/** So that a ledger stays small, and the same whether it was stored in between or not. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
