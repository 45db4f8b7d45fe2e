import { warningsIn } from './failures.ts';
import {
  type Asking,
  byCount,
  counted,
  listed,
  type Outline,
  plainOutline,
  SHARE_OF_LIST,
} from './outline.ts';
import { textOf } from './source.ts';

/** Lines that tell what a run came to. */
const SUMMARY =
  /\b\d{1,9} (?:passed|failed|failing|passing|errors?|warnings?|skipped|tests?|problems?|files? changed|vulnerabilit|packages?)\b|^\s{0,8}(?:Tests?:? |Test (?:Suites|Files)|Ran \d|BUILD |Build (?:succeeded|failed)|Finished |test result:|Total\b|Summary\b|Done in|FAILED|OK\b|ok {2}|=+ .{1,80} =+$)/i;
const MOST_SUMMARIES = 8;
/** What differs between lines that say the same. */
const VARYING = /0x[0-9a-f]{1,32}|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{12,64}\b|\d{1,30}/gi;
const LEAST_ALIKE = 4;
const MOST_TEMPLATES = 6;
const MOST_REMEMBERED = 20_000;
const LONGEST_TEMPLATE = 160;

/** How a test came out, at the beginning or the end of its line. */
const OUTCOME =
  /^\s{0,12}(--- (?:PASS|FAIL|SKIP)|PASS(?:ED)?\b|FAIL(?:ED)?\b|SKIP(?:PED)?\b|ok\b|not ok\b|[✓✔✗✘×])|\s(PASSED|FAILED|SKIPPED|ERROR|\.\.\. (?:ok|FAILED|ignored))\s{0,2}(?:\[ {0,3}\d{1,3}%\])?$/;

/** Logs and the output of tests: what they came to, warnings, one line of many that are alike. */
export function logOutline({ source, start, room }: Asking, what: string): Outline {
  const outline = plainOutline(what);
  const summaries: number[] = [];
  const outcomes = new Map<string, number>();
  const groups = new Map<string, { place: number; last: number; count: number }>();
  for (const [place, unit] of source.units.entries()) {
    if (place < start || unit.to === unit.from) continue;
    const text = textOf(source, unit).slice(0, LONGEST_TEMPLATE);
    if (SUMMARY.test(text)) summaries.push(place);
    const outcome = OUTCOME.exec(text);
    const word = outcome?.[1] ?? outcome?.[2];
    if (word !== undefined) outcomes.set(word, (outcomes.get(word) ?? 0) + 1);
    if (unit.isPart) continue;
    const template = text.replace(VARYING, '0');
    const group = groups.get(template);
    if (group !== undefined) {
      group.count += 1;
      group.last = unit.line;
    } else if (groups.size < MOST_REMEMBERED) {
      groups.set(template, { place, last: unit.line, count: 1 });
    }
  }
  const alike = [...groups.values()]
    .filter(({ count }) => count >= LEAST_ALIKE)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_TEMPLATES);
  if (outcomes.size > 0) {
    const shown = byCount(outcomes).map(([word, often]) => `${word} ${often}`);
    outline.notes.push(`Outcomes by line: ${listed(shown, room * SHARE_OF_LIST)}`);
  }
  outline.first.push(...summaries.slice(-MOST_SUMMARIES).reverse(), ...warningsIn(source));
  for (const { place, last, count } of alike) {
    outline.first.push(place);
    outline.below.set(place, `${counted(count - 1, 'line')} like it, up to ${last}`);
  }
  return outline;
}
