import { normalised } from '../words.ts';
import { type Log, type Statement, tellingStart, type Untrue } from './statement.ts';

/** Messages of the user that are listed in another order than they were said, or called first or latest wrongly. */
export function wrongOrder(statements: readonly Statement[], log: Log): Untrue[] {
  const said = log.said.map(({ text }) => normalised(text));
  return [...wrongLists(statements, said), ...wrongEnds(statements, said)];
}

/** Below one heading what was said later comes later. */
function wrongLists(statements: readonly Statement[], said: readonly string[]): Untrue[] {
  const untrue: Untrue[] = [];
  let heading = '';
  let last = -1;
  for (const statement of statements) {
    if (statement.heading !== heading) last = -1;
    heading = statement.heading;
    const places = placesOf(statement, said);
    if (places.length === 0) continue;
    // What was said more than once stands right wherever one of its places is.
    const next = places.find((place) => place >= last);
    if (next === undefined) {
      untrue.push({
        lie: 'order',
        text: statement.text,
        why: 'it was said before what stands above',
      });
    }
    last = next ?? places.at(-1) ?? last;
  }
  return untrue;
}

function placesOf({ rest, is_entry }: Statement, said: readonly string[]): number[] {
  const start = is_entry ? tellingStart(rest) : '';
  return start === '' ? [] : said.flatMap((text, place) => (text.startsWith(start) ? [place] : []));
}

const FIRST = /\b(?:first|initial|original) (?:user )?(?:request|message|question|task)\b/i;
const LATEST = /\b(?:latest|last|newest|most recent) (?:user )?(?:request|message|question)\b/i;

function wrongEnds(statements: readonly Statement[], said: readonly string[]): Untrue[] {
  return statements.flatMap((statement): Untrue[] => {
    const { label, text } = statement;
    const places = placesOf(statement, said);
    if (places.length === 0) return [];
    if (FIRST.test(label) && !places.includes(0)) {
      return [{ lie: 'order', text, why: 'it was not the first' }];
    }
    if (LATEST.test(label) && !places.includes(said.length - 1)) {
      return [{ lie: 'order', text, why: 'the user said more after it' }];
    }
    return [];
  });
}
