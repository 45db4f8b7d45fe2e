import { groupBy } from '../group-by.ts';
import { baseName } from '../names.ts';
import type { FactKind, Ledger } from './ledger.ts';

/** Where something was said, as a line of a summary tells of it. */
export type FactSource = { kind: FactKind; seq: number; of: string | null };

type Needle = FactSource & { text: string };

/** Characters of a sentence by which it is known again. */
const BEGINNING = 40;
const SHORTEST = 4;
const PER_LINE = 6;

/**
 * The sources of what the lines of a summary say, line by line: the facts of the ledger behind it that a
 * line quotes, those that stand first in it before the others, at most six a line.
 */
export function sourcesOf(lines: readonly string[], ledger: Ledger): FactSource[][] {
  const needles = byBeginning(needlesOf(ledger));
  return lines.map((line) => {
    const found = foundIn(squeezed(line), needles);
    // The longer one says more at the same place.
    found.sort((a, b) => a.place - b.place || b.needle.text.length - a.needle.text.length);
    const sources = new Map<string, FactSource>();
    for (const { needle } of found) {
      const { kind, seq, of } = needle;
      const key = `${of ?? ''} ${seq}`;
      if (sources.size < PER_LINE && !sources.has(key)) sources.set(key, { kind, seq, of });
    }
    return [...sources.values()];
  });
}

function byBeginning(needles: readonly Needle[]): Map<string, Needle[]> {
  return groupBy(needles, ({ text }) => text.slice(0, SHORTEST));
}

/** Where needles, by their beginnings, first stand in a text: thousands are looked for in hundreds of lines. */
function foundIn(text: string, needles: ReadonlyMap<string, readonly Needle[]>) {
  const found = new Map<Needle, { needle: Needle; place: number }>();
  for (let place = 0; place + SHORTEST <= text.length; place++) {
    for (const needle of needles.get(text.slice(place, place + SHORTEST)) ?? []) {
      if (!found.has(needle) && text.startsWith(needle.text, place))
        found.set(needle, { needle, place });
    }
  }
  return [...found.values()];
}

function needlesOf(ledger: Ledger): Needle[] {
  type Placed = { seq: number; of?: string };
  const one = (kind: FactKind, { seq, of = undefined }: Placed, text: string): Needle => ({
    kind,
    seq,
    of: of ?? null,
    text: squeezed(text).slice(0, BEGINNING).trim(),
  });
  return [
    ...ledger.requests.map((fact) => one('request', fact, fact.text)),
    ...ledger.constraints.map((fact) => one('constraint', fact, fact.text)),
    ...ledger.conclusions.map((fact) => one(fact.kind, fact, fact.text)),
    ...ledger.files
      .filter(({ edits }) => edits > 0)
      .map((fact) => one('change', fact, baseName(fact.path))),
    ...ledger.runs.map((fact) => one('run', fact, fact.command)),
    ...ledger.failures.flatMap((fact) => fact.lines.map((line) => one('error', fact, line))),
    ...(ledger.plan?.todos ?? []).map(({ text }) => one('plan', ledger.plan ?? { seq: 1 }, text)),
    ...ledger.artifacts.map((fact) => one('artifact', fact, fact.value)),
    ...ledger.names.map((fact) => one('name', fact, fact.name)),
  ].filter(({ text }) => text.length >= SHORTEST);
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
