import { isFileName, nameKey, nameReader } from '../names.ts';
import { bothEnds } from './text.ts';

/** Who mentions a name. What the agent writes itself it will most likely write again. */
type Mentioner = 'assistant' | 'earlier_summary' | 'user' | 'tool_output';

const WEIGHT: Record<Mentioner, number> = {
  assistant: 5,
  earlier_summary: 5,
  user: 3,
  tool_output: 0.5,
};
/** After this share of the covered part a mention is worth half of a new one. */
const HALF_LIFE = 0.3;
/** What the oldest mention keeps of its worth. */
const FLOOR = 0.25;
/** A name that the reader asked for counts as if it were mentioned this many times as often. */
const FOCUS_FACTOR = 4;

/** Names scored by who mentions them, how often and how lately. */
export class NameRanking {
  private readonly scores = new Map<string, number>();
  private readonly read = nameReader();
  private readonly keys = new Map<string, string>();
  private readonly total: number;

  /** `total` is how many items there are; mentions are placed among them by their index. */
  constructor(total: number) {
    this.total = total;
  }

  mention(text: string, by: Mentioner, index: number): void {
    const counts = new Map<string, number>();
    this.read(bothEnds(text), (name) => {
      const key = this.keyOf(name);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    const age = (this.total - index) / Math.max(1, this.total);
    const worth = WEIGHT[by] * (FLOOR + 0.5 ** (age / HALF_LIFE));
    // The tenth mention in one text says less than the first.
    for (const [name, times] of counts) {
      this.scores.set(name, (this.scores.get(name) ?? 0) + worth * (1 + Math.log2(times)));
    }
  }

  /** All names, best first; names that contain a focus word (lower case) move up. */
  ranked(focus: readonly string[]): string[] {
    const entries = [...this.scores].map(([name, score]): [string, number] => {
      const lower = name.toLowerCase();
      return [name, focus.some((word) => lower.includes(word)) ? score * FOCUS_FACTOR : score];
    });
    return entries.sort((a, b) => b[1] - a[1]).map(([name]) => name);
  }

  private keyOf(name: string): string {
    let key = this.keys.get(name);
    if (key === undefined) {
      key = nameKey(name);
      this.keys.set(name, key);
    }
    return key;
  }
}

/** The index of names as lines: files and paths, then identifiers, each in the order given. */
export function indexLines(names: readonly string[]): string[] {
  const isPath = (name: string) => name.includes('/') || isFileName(name);
  const files = names.filter(isPath);
  const identifiers = names.filter((name) => !isPath(name));
  const lines: string[] = [];
  if (files.length > 0) lines.push(`Files and paths: ${files.join(', ')}`);
  if (identifiers.length > 0) lines.push(`Identifiers: ${identifiers.join(', ')}`);
  return lines;
}
