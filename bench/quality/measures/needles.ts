import type { Candidate } from '../candidate.ts';
import type { Conversation } from '../conversation.ts';
import { seeded } from '../seeded.ts';
import { normalised, type Score, scoreOf } from '../words.ts';

/** An original line of the conversation; `half` says where in it. */
export type Needle = { line: string; source: 'result' | 'other'; half: 'first' | 'second' };

const NEEDLES = 40;
const SHORTEST = 40;
const LONGEST = 200;

type Line = { line: string; source: Needle['source']; place: number };

/**
 * 40 lines of 40 to 200 characters, each unique in the conversation, spread evenly over it by
 * characters, half of them from tool results where there are enough; drawn by a seed.
 */
export function drawNeedles(conversation: Conversation, seed: number): Needle[] {
  const { lines, length } = linesOf(conversation);
  const seen = new Map<string, number>();
  for (const { line } of lines) seen.set(line, (seen.get(line) ?? 0) + 1);
  const fit = lines.filter(
    ({ line }) => line.length >= SHORTEST && line.length <= LONGEST && seen.get(line) === 1,
  );
  const random = seeded(seed);
  const results = drawEvenly(
    fit.filter(({ source }) => source === 'result'),
    NEEDLES / 2,
    length,
    random,
  );
  const others = fit.filter(({ source }) => source === 'other');
  const rest = drawEvenly(others, NEEDLES - results.length, length, random);
  return [...results, ...rest].map(({ line, source, place }) => ({
    line,
    source,
    half: place < length / 2 ? 'first' : 'second',
  }));
}

function linesOf({ passages }: Conversation): { lines: Line[]; length: number } {
  const lines: Line[] = [];
  let length = 0;
  for (const { text, voice } of passages) {
    const source = voice === 'tool' ? 'result' : 'other';
    for (const line of text.split('\n')) {
      lines.push({ line: normalised(line), source, place: length });
      length += line.length + 1;
    }
  }
  return { lines, length };
}

/** One line of each of so many equal stretches; where a stretch has none, one of the nearest that are left. */
function drawEvenly(
  lines: readonly Line[],
  count: number,
  length: number,
  random: () => number,
): Line[] {
  const left = new Set(lines);
  const drawn: Line[] = [];
  for (let stretch = 0; stretch < count && left.size > 0; stretch++) {
    const [from, to] = [(stretch * length) / count, ((stretch + 1) * length) / count];
    const inside = [...left].filter(({ place }) => place >= from && place < to);
    const middle = (from + to) / 2;
    const line =
      inside[Math.floor(random() * inside.length)] ??
      [...left].reduce((a, b) => (Math.abs(b.place - middle) < Math.abs(a.place - middle) ? b : a));
    left.delete(line);
    drawn.push(line);
  }
  return drawn;
}

type Needles = { all: Score; first_half: Score; second_half: Score };

/** How many needles stand in the text, and how many of each half of the conversation. */
export function measureNeedles(needles: readonly Needle[], { read }: Candidate): Needles {
  const stands = ({ line }: Needle) => read.normal.includes(line);
  const ofHalf = (half: Needle['half']) =>
    scoreOf(
      needles.filter((needle) => needle.half === half),
      stands,
    );
  return {
    all: scoreOf(needles, stands),
    first_half: ofHalf('first'),
    second_half: ofHalf('second'),
  };
}
