import { bullet, clipEnd } from '../../text.ts';
import type { TextCounter } from '../../tokens/count.ts';
import { TOPICS, type Topic } from './headings.ts';
import type { Line, Tellings } from './line.ts';

/**
 * Of the room, what a topic may take with its fewest words, and how it shares in the rest. `fills`: it
 * begins with as many words as fit in the first.
 */
type Share = { least: number; weight: number; fills?: true };
type Shares = Record<Topic, Share>;
const SHARES: Shares = {
  first: { least: 0.15, weight: 6 },
  latest: { least: 0.15, weight: 6 },
  constraints: { least: 0.3, weight: 8 },
  changed: { least: 0.15, weight: 6 },
  messages: { least: 0.55, weight: 30 },
  files: { least: 0.4, weight: 60 },
  errors: { least: 0.3, weight: 10 },
  todos: { least: 0.15, weight: 6 },
  next: { least: 0.1, weight: 4 },
  current: { least: 0.12, weight: 10 },
  epochs: { least: 0.15, weight: 4 },
  decisions: { least: 0.2, weight: 12 },
  runs: { least: 0.1, weight: 5 },
  exact: { least: 0.05, weight: 3 },
};
/** What the user said where no file was worked on: it has the share of the files as well. */
const MESSAGES_OF_CHAT: Share = {
  least: 0.85,
  weight: SHARES.messages.weight + SHARES.files.weight,
  fills: true,
};
/** What calls have changed out there, which no file tells of: done once more, it is done twice. */
const CHANGED_OF_CHAT: Share = { least: 0.25, weight: 8 };
/** Tokens that a heading and its blank lines take. */
const HEADING_TOKENS = 8;
/** With less than this a topic says nothing. */
const LEAST_TOKENS = 20;

type Chosen = { lines: string[]; tokens: number };

/**
 * Divides the room (tokens) among the topics: each first gets its fewest words, in the order of
 * `TOPICS`, then more words go to the one that has least of its share, until nothing more fits.
 */
export function allot(
  tellings: ReadonlyMap<Topic, Tellings>,
  room: number,
  count: TextCounter,
): Map<Topic, string[]> {
  const shares = sharesFor(tellings);
  // Where not all can be told anyway, fewer that say something say more.
  const someOf = (topic: Topic, own: Tellings) =>
    own[shares[topic].fills === true && own.length > 1 ? 1 : 0]?.() ?? [];
  const chosen = new Map<Topic, Chosen>();
  const cut = new Set<Topic>();
  let left = room;
  const open = new Map<Topic, { own: Tellings; next: number }>();
  for (const [topic, own] of tellings) open.set(topic, { own, next: 1 });
  for (const topic of TOPICS) {
    const telling = open.get(topic);
    const first = telling?.own[0]?.() ?? [];
    const most = Math.min(left, Math.floor(room * shares[topic].least));
    let lines = within(first, most - HEADING_TOKENS, count);
    if (telling !== undefined && lines.length < first.length) {
      cut.add(topic);
      telling.next = 0;
      lines = within(someOf(topic, telling.own), most - HEADING_TOKENS, count);
    }
    if (lines.length === 0) continue;
    let tokens = costOf(lines, count);
    if (telling !== undefined && shares[topic].fills === true && !cut.has(topic)) {
      const filled = fill(telling, first, most, count);
      lines = filled.lines;
      tokens = filled.tokens;
    }
    chosen.set(topic, { lines, tokens });
    left -= tokens;
  }
  for (;;) {
    const topic = hungriest(open, chosen, shares);
    if (topic === null) break;
    const telling = open.get(topic);
    const lines = telling?.own[telling.next]?.().map(({ text }) => text);
    if (telling === undefined || lines === undefined) {
      open.delete(topic);
      continue;
    }
    const before = chosen.get(topic)?.tokens ?? 0;
    const tokens = lines.length === 0 ? 0 : costOf(lines, count);
    if (tokens - before > left) {
      open.delete(topic);
      continue;
    }
    cut.delete(topic);
    telling.next++;
    chosen.set(topic, { lines, tokens });
    left -= tokens - before;
  }
  // What is left goes to those of which not even the fewest words fit.
  for (const topic of cut) {
    const before = chosen.get(topic)?.tokens ?? 0;
    const some = someOf(topic, tellings.get(topic) ?? []);
    const lines = within(some, before + left - HEADING_TOKENS, count);
    if (lines.length === 0) continue;
    const tokens = costOf(lines, count);
    chosen.set(topic, { lines, tokens });
    left -= tokens - before;
  }
  return new Map([...chosen].map(([topic, { lines }]) => [topic, lines]));
}

/**
 * As many words of all lines as fit, and then more of those that leave out most. `shortest`: the fewest
 * words of all, which fit.
 */
function fill(
  telling: { own: Tellings; next: number },
  shortest: readonly Line[],
  room: number,
  count: TextCounter,
): Chosen {
  let lines = shortest;
  let longer = telling.own[telling.next]?.();
  while (longer !== undefined && costOf(textsOf(longer), count) <= room) {
    lines = longer;
    telling.next++;
    longer = telling.own[telling.next]?.();
  }
  const texts = textsOf(lines);
  let tokens = costOf(texts, count);
  const byNeed = [...lines.entries()].sort(([, a], [, b]) => leftOut(b) - leftOut(a));
  for (const [place, { text }] of byNeed) {
    const after = longer?.[place]?.text ?? text;
    const more = count(bullet(after)) - count(bullet(text));
    if (more <= 0 || tokens + more > room) continue;
    texts[place] = after;
    tokens += more;
  }
  return { lines: texts, tokens: costOf(texts, count) };
}

/** How much of what a line is about it leaves out, in characters. */
function leftOut({ text, about = '' }: Line): number {
  return about.length - text.length;
}

/** The shares of these topics: where no file was worked on, the conversation is the work. */
function sharesFor(tellings: ReadonlyMap<Topic, Tellings>): Shares {
  const hasFiles = (tellings.get('files')?.length ?? 0) > 0;
  if (hasFiles) return SHARES;
  return { ...SHARES, messages: MESSAGES_OF_CHAT, changed: CHANGED_OF_CHAT };
}

/** The topic that has least of its share. */
function hungriest(
  open: ReadonlyMap<Topic, unknown>,
  chosen: ReadonlyMap<Topic, Chosen>,
  shares: Shares,
): Topic | null {
  let found: Topic | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const topic of open.keys()) {
    const filled = (chosen.get(topic)?.tokens ?? 0) / shares[topic].weight;
    if (filled < least) {
      least = filled;
      found = topic;
    }
  }
  return found;
}

/** The worthiest lines that fit, in their own order. */
function within(lines: readonly Line[], room: number, count: TextCounter): string[] {
  if (room < LEAST_TOKENS) return [];
  const texts = textsOf(lines);
  if (costOf(texts, count) <= room) return texts;
  const ranked = lines.toSorted((a, b) => b.worth - a.worth);
  const kept = new Set<Line>();
  let used = 0;
  for (const line of ranked) {
    const tokens = count(bullet(line.text)) + 1;
    if (used + tokens > room) continue;
    used += tokens;
    kept.add(line);
  }
  const [first] = ranked;
  // Half of a request says more than none.
  const isLost = kept.size === 0 || (first?.isNeeded === true && !kept.has(first));
  if (isLost && first !== undefined) {
    const share = (room * 0.9) / (count(bullet(first.text)) + 1);
    return [clipEnd(first.text, Math.floor(first.text.length * share))];
  }
  return lines.flatMap((line) => (kept.has(line) ? [line.text] : []));
}

function textsOf(lines: readonly Line[]): string[] {
  return lines.map(({ text }) => text);
}

function costOf(lines: readonly string[], count: TextCounter): number {
  return count(lines.map(bullet).join('\n')) + HEADING_TOKENS;
}
