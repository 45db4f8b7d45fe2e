import { nameKey, readNames } from '../../src/domain/names.ts';
import { endOf } from './baselines.ts';
import { keysIn } from './names.ts';
import { countTokens } from './tokens.ts';

/** The beginning and the end of a text, each with half of the tokens. */
export function headAndTail(text: string, tokens: number): string {
  const half = Math.floor(tokens / 2);
  let head = text.slice(0, half * 4);
  while (countTokens(head) > half) head = head.slice(0, Math.floor(head.length * 0.98));
  return `${head}\n${endOf(text, Math.max(0, tokens - half))}`;
}

/** The names of a text, those that stand there most often first, as many as fit. */
export function namesOfText(text: string, tokens: number): string {
  const counts = new Map<string, { name: string; count: number }>();
  readNames(text, (name) => {
    const key = nameKey(name);
    counts.set(key, { name, count: (counts.get(key)?.count ?? 0) + 1 });
  });
  const lines: string[] = [];
  let characters = 0;
  for (const { name } of [...counts.values()].sort((a, b) => b.count - a.count)) {
    characters += name.length + 1;
    if (characters > tokens * 4) break;
    lines.push(name);
  }
  return lines.join('\n');
}

type Line = { text: string; place: number; keys: ReadonlySet<string>; gain: number };

/** Original lines that bring the most new names for their length, in their order. */
export function greedyLines(text: string, tokens: number): string {
  const waiting = text
    .split('\n')
    .map((line, place): Line => {
      const keys = keysIn(line);
      return { text: line, place, keys, gain: keys.size / (line.length + 1) };
    })
    .filter(({ keys }) => keys.size > 0)
    .sort((a, b) => a.gain - b.gain);
  const known = new Set<string>();
  const chosen: Line[] = [];
  let room = tokens * 4;
  for (let best = waiting.pop(); best !== undefined; best = waiting.pop()) {
    const news = [...best.keys].filter((key) => !known.has(key)).length;
    const gain = news / (best.text.length + 1);
    if (news === 0 || best.text.length + 1 > room) continue;
    // Gains only fall: one that is still the best now is the best of all.
    if (gain < best.gain && gain < (waiting.at(-1)?.gain ?? 0)) {
      insert(waiting, { ...best, gain });
      continue;
    }
    for (const key of best.keys) known.add(key);
    room -= best.text.length + 1;
    chosen.push(best);
  }
  return chosen
    .sort((a, b) => a.place - b.place)
    .map((line) => line.text)
    .join('\n');
}

function insert(lines: Line[], line: Line): void {
  let from = 0;
  let to = lines.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((lines[middle]?.gain ?? 0) < line.gain) from = middle + 1;
    else to = middle;
  }
  lines.splice(from, 0, line);
}
