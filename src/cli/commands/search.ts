import type { z } from 'zod';
import { searchAnswer } from '../../api/search/schemas.ts';
import { ask } from '../ask.ts';
import { quantity } from '../quantity.ts';
import { queryOf, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import { columnsOf, cut } from '../terminal/columns.ts';
import { plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { minute } from '../words.ts';

export type SearchFlags = ReadingFlags & {
  session?: string;
  regex?: boolean;
  role?: string;
  kind?: string;
  tool?: string;
  state?: string;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
};
type Found = z.infer<typeof searchAnswer>;
type Hit = Found['data'][number];

/** Searches everything that was ever said, in all sessions or in one. */
export function searchCommand(
  words: string[],
  { session, regex, role, kind, tool, state, since, until, limit, cursor, ...flags }: SearchFlags,
): Promise<void> {
  return reading(flags, async (target, output) => {
    const sought = words.join(' ');
    const asked = regex === true ? { regex: sought } : { q: sought };
    const query = queryOf({ ...asked, role, kind, tool, state, since, until, limit, cursor });
    const path = session === undefined ? '' : sessionPath(session);
    const answer = await ask(target, searchAnswer, `${path}/search${query}`);
    await output.say(answer.text, (screen) => lines(answer.value, sought, screen));
  });
}

function* lines({ data, next_cursor, is_complete }: Found, sought: string, screen: Screen) {
  const [first] = data;
  if (first === undefined) {
    yield `Nothing found for: ${plainText(sought)}`;
    if (!is_complete) yield 'Not everything was looked at: use rarer words, or --session ID.';
    return;
  }
  for (const hit of data) {
    const place = `${plainText(hit.session_id)} ${hit.seq}`;
    const room = Math.max(20, screen.columns - columnsOf(place) - 2);
    yield `${screen.style('title', place)}  ${cut(about(hit), room)}`;
    yield `    ${snippet(hit, screen)}`;
  }
  yield '';
  yield `${quantity(data.length, 'hit')}${is_complete ? '' : '; more may be found with rarer words'}`;
  const hints = [
    `An item in full: palimpsest show ${plainText(first.session_id)} ${first.seq}`,
    ...(next_cursor === null ? [] : [`More: the same with --cursor ${plainText(next_cursor)}`]),
  ];
  for (const hint of hints) yield screen.style('faint', hint);
}

const STANDS = {
  in_context: 'in context',
  cleared: 'cleared since',
  summarised: 'summarised since',
} as const;

function about({ kind, role, tool, state, at }: Hit): string {
  const what = kind === 'message' ? (role ?? kind) : kind.replace('_', ' ');
  const of = tool === null ? '' : ` of ${plainText(tool)}`;
  const stands = state === null ? '' : `, ${STANDS[state]}`;
  return `${what}${of}, ${minute(at)}${stands}`;
}

const INDENT = 4;

/** One line of the text around its first match. */
function snippet({ snippet: text, matches }: Hit, screen: Screen): string {
  const room = screen.columns - INDENT;
  const clean = (piece: string) => plainText(piece.replace(/\s+/g, ' '));
  const first = matches[0]?.start ?? 0;
  // The match stands in the first third of a line that cannot hold all of it, or further at its end.
  const latest = text.trimEnd().length - room + 1;
  const from = Math.max(0, Math.min(first - Math.floor(room / 3), latest));
  const pieces: { text: string; isMatch: boolean }[] = [];
  let at = from;
  for (const { start, end } of matches) {
    if (start < at) continue;
    pieces.push({ text: text.slice(at, start), isMatch: false });
    pieces.push({ text: text.slice(start, end), isMatch: true });
    at = end;
  }
  pieces.push({ text: text.slice(at), isMatch: false });
  let left = from === 0 ? room : room - 1;
  let line = from === 0 ? '' : '…';
  for (const piece of pieces) {
    const shown = cut(clean(piece.text), left);
    line += piece.isMatch ? screen.style('match', shown) : shown;
    left -= columnsOf(shown);
    if (left <= 0) break;
  }
  return line;
}
