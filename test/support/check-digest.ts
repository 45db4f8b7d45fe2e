import { expect } from 'vitest';

/** What a digest says in its lines, read without any code that writes them. */
export type ReadDigest = { quoted: Map<number, string[]>; notes: string[] };

/** The quotes of a digest by the number of their line, and the lines in brackets. */
export function readDigest(digest: string): ReadDigest {
  const quoted = new Map<number, string[]>();
  const notes: string[] = [];
  for (const line of digest.split('\n')) {
    const quote = /^(\d+):(.*)$/s.exec(line);
    if (quote === null) {
      expect(line).toMatch(/^\[.*\]$/s);
      notes.push(line.slice(1, -1));
      continue;
    }
    const number = Number(quote[1]);
    quoted.set(number, [...(quoted.get(number) ?? []), quote[2] ?? '']);
  }
  return { quoted, notes };
}

/** Expects every quote to stand in its line, and every figure about what is left out to be true. */
export function expectTrue(digest: string, original: string): void {
  const { quoted, notes } = readDigest(digest);
  const lines = original.replace(/\r?\n$/, '').split(/\r?\n/);
  let partly = 0;
  for (const [number, texts] of quoted) {
    const line = lines[number - 1] ?? expect.unreachable(`there is no line ${number}`);
    if (texts.length === 1 && texts[0] === line) continue;
    partly += 1;
    let at = 0;
    for (const text of texts) {
      const found = line.indexOf(text, at);
      expect(found, `line ${number}: ${text}`).toBeGreaterThanOrEqual(0);
      at = found + text.length;
    }
  }
  expect([...quoted.keys()]).toEqual([...quoted.keys()].toSorted((a, b) => a - b));
  const head =
    /^Digest: .+; (\d+) of (\d+) lines? left out(?:, parts of (\d+) lines?)?(?:; (\d+)-(\d+) not looked at, nor counted in)?$/s;
  const [, left, all, parts = 0, from, to] =
    head.exec(notes[0] ?? '') ?? expect.unreachable(notes[0]);
  expect([left, all, parts].map(Number)).toEqual([
    lines.length - quoted.size,
    lines.length,
    partly,
  ]);
  for (const number of quoted.keys()) {
    expect(number >= Number(from ?? 1 / 0) && number <= Number(to)).toBe(false);
  }
  for (const note of notes.slice(1)) expectGap(note, quoted, lines.length);
}

/** A gap is as long as it can be: before and behind it stands a quote, or nothing. */
function expectGap(note: string, quoted: ReadonlyMap<number, string[]>, lines: number): void {
  const gap = /^(\d+)-(\d+) left out$/.exec(note);
  if (gap === null) return;
  const [from = 0, to = 0] = gap.slice(1).map(Number);
  for (const number of quoted.keys()) expect(number < from || number > to, note).toBe(true);
  expect([from === 1 || quoted.has(from - 1), to === lines || quoted.has(to + 1)]).toEqual([
    true,
    true,
  ]);
}
