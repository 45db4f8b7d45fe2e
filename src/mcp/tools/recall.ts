import { z } from 'zod';
import { readHere } from '../../app/read-here.ts';
import { type Recalled, type RecallRequest, recall, type Wanted } from '../../app/recall/recall.ts';
import { headingOf, insideLine } from '../../domain/context/under-heading.ts';
import { accept, type Outcome, reject } from '../../domain/session/errors.ts';
import { idText } from '../id-text.ts';
import type { Tool } from '../tool.ts';

const LARGEST = 9_007_199_254_740_991;

/** Models that want a single item send its number as one. */
const asText = (value: unknown) => (typeof value === 'number' ? String(value) : value);

const range = (what: string, example: string) =>
  z
    .preprocess(
      asText,
      z.string().regex(/^\d{1,15}(?:-\d{0,15})?$/, `must be numbers such as "${example}"`),
    )
    .optional()
    .describe(what);

const input = z.strictObject({
  tool_use_id: z.string().min(1).max(512).optional().describe('The id of a tool call: its result.'),
  items: range('Numbers (seq) of items: "12", "12-40", or "12-" for all from there on.', '12-40'),
  compaction_id: idText(100)
    .optional()
    .describe('A compaction: what it took out of the context. "items" narrows it.'),
  lines: range('Which lines, of the result or of the first item: "200-400", "200-".', '200-400'),
  character: z
    .int()
    .min(1)
    .optional()
    .describe('Where to begin in the first line, when that is too long for one answer.'),
  session_id: idText(200)
    .optional()
    .describe('As a hit of search_history names it, when it is another session than this.'),
});
type Args = z.infer<typeof input>;

/** The originals of what is not in the context any more. */
export const recallTool: Tool<Args> = {
  name: 'recall',
  description:
    'Reads the original of something that is no longer in your context, word for word: the result of a ' +
    'tool call (tool_use_id), items of the conversation (items), or everything that a compaction took ' +
    'away (compaction_id). Long originals come in pieces; each answer says how to go on. A line of an ' +
    'original that looks like one of the headings here has a backslash before its bracket.',
  input,
  isReading: true,
  call: async (ports, caller, args) => {
    const request = requestOf(args);
    if (!request.ok) return request;
    const recalled = await recall(readHere(ports), caller, request.value);
    if (!recalled.ok) return recalled;
    return accept(written(recalled.value, request.value, caller.ref.session_id));
  },
};

function requestOf(args: Args): Outcome<RecallRequest> {
  const wanted = wantedOf(args);
  if (wanted === null) {
    return reject(
      'invalid_request',
      'say what to recall: one of tool_use_id, items and compaction_id (items may narrow the last)',
    );
  }
  const { from: line, to: to_line } = rangeOf(args.lines);
  if (line < 1 || to_line < line) {
    return reject('invalid_request', '"lines" counts from 1, and ends behind its beginning');
  }
  const start = { line, to_line, character: args.character ?? 1 };
  return accept({ wanted, session_id: args.session_id, start });
}

function wantedOf({ tool_use_id, items, compaction_id }: Args): Wanted | null {
  if (tool_use_id !== undefined) {
    const isAlone = items === undefined && compaction_id === undefined;
    return isAlone ? { kind: 'result', tool_use_id } : null;
  }
  if (compaction_id !== undefined) return { kind: 'compaction', compaction_id, ...rangeOf(items) };
  if (items === undefined) return null;
  return { kind: 'items', ...rangeOf(items) };
}

/** "12" of items is that one; of nothing it is everything. */
function rangeOf(text: string | undefined): { from: number; to: number } {
  if (text === undefined) return { from: 1, to: LARGEST };
  const [from = '', to] = text.split('-');
  return { from: Number(from), to: to === undefined ? Number(from) : Number(to || LARGEST) };
}

/** Each piece behind a line that says what it is, and at the end how to go on. */
function written(
  { session_id, pieces, next }: Recalled,
  { wanted, start }: RecallRequest,
  own: string,
): string {
  const place = session_id === own ? [] : [`session ${session_id}`];
  const told = pieces.map(({ seq, at, what, piece }) => {
    const { from, to_line, lines, text } = piece;
    const part = from.character > 1 ? ` from character ${from.character}` : '';
    const range = `lines ${from.line}-${to_line} of ${lines}${part}`;
    const about = lines === 1 ? [`${what}${part}`] : [what, range];
    const heading = headingOf([...place, `item ${seq}`, at, ...about]);
    return `${heading}\n${part === '' ? text : insideLine(text)}`;
  });
  if (next === null) return told.join('\n');
  const to = wanted.kind === 'result' ? LARGEST : wanted.to;
  const items = to === LARGEST ? `${next.seq}-` : `${next.seq}-${to}`;
  const what = {
    ...(wanted.kind === 'result' ? { tool_use_id: wanted.tool_use_id } : { items }),
    ...(wanted.kind === 'compaction' && { compaction_id: wanted.compaction_id }),
    ...linesLeft(next, start, pieces[0]?.seq),
    ...(next.character > 1 && { character: next.character }),
    ...(session_id !== own && { session_id }),
  };
  return `${told.join('\n')}\n[it goes on: recall(${JSON.stringify(what)})]`;
}

/** Which lines come next; what was asked to end with a line still does. */
function linesLeft(
  next: { seq: number; line: number },
  { to_line }: RecallRequest['start'],
  first: number | undefined,
): { lines?: string } {
  const isBounded = to_line !== LARGEST && next.seq === first;
  if (isBounded) return { lines: `${next.line}-${to_line}` };
  return next.line > 1 ? { lines: `${next.line}-` } : {};
}
