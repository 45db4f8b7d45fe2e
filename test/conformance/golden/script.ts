import type { Item } from '../../../src/domain/items/item.ts';
import {
  assistant,
  attachment,
  call,
  GHOST,
  IMAGE,
  ofTokens,
  PROGRESS,
  result,
  text,
  thinking,
  user,
} from '../../support/items.ts';

/** What the client tells about its turns around a step; only profiles with tiers act on it. */
export type Told = 'turn_started' | 'sampling_complete' | 'turn_complete';

/** One append. `before` and `after` are the signals that the client posts around it. */
type Step = { label: string; items: Item[]; before?: Told; after?: Told };

/** In UTF-16 a quarter of its tokens under the other estimate, which counts bytes: 5,000 or 10,000. */
const CYRILLIC = 'ж'.repeat(20_000);

/** `ofTokens` after a sentence, so that a line of a snapshot says which item it is. */
function words(sentence: string, tokens: number): string {
  return `${sentence} ${ofTokens(tokens)}`;
}

function read(id: string, path: string, tokens: number): Item[] {
  return [
    call(id, 'Read', { file_path: path }),
    result(id, words(`content of ${path}:`, tokens - 6)),
  ];
}

function shell(id: string, command: string, tokens: number, isError = false): Item[] {
  const fields = isError ? { is_error: true } : {};
  return [
    call(id, 'Bash', { command }),
    result(id, words(`output of ${command.slice(0, 10)}:`, tokens - 6), fields),
  ];
}

/**
 * The same long conversation for every profile: an agent ports a parser, in a window of 200,000 tokens.
 * Each item is there for a rule that some of the five documents have and others have not.
 */
export const STEPS: readonly Step[] = [
  { label: 'G1', items: [GHOST] },
  { label: 'U1', items: [user(words('Port the parser.', 996))], before: 'turn_started' },
  // The oldest file: the sixth of those that could come back.
  { label: 'F0', items: [attachment('file', ofTokens(6_000), 'docs/spec.md')] },
  {
    label: 'TD',
    items: [
      attachment('todo', [
        { content: 'port lexer', done: false },
        { content: 'port parser', done: false },
      ]),
    ],
  },
  // Larger than a file may be: a plan is never cut.
  { label: 'PL', items: [attachment('plan', ofTokens(7_000), 'PLAN.md')] },
  {
    label: 'PR',
    items: [PROGRESS, { type: 'system', subtype: 'info', content: 'model switched' }],
  },
  { label: 'TH', items: [assistant([thinking(ofTokens(80))])] },
  { label: 'A1', items: [assistant('I will read the sources first.')] },
  { label: 'r1', items: read('r1', 'src/a.ts', 12_000) },
  { label: 'r2', items: shell('r2', 'rg -n parse', 9_000) },
  {
    label: 'r3',
    items: [call('r3', 'Grep', { pattern: 'lex' }), result('r3', words('matches:', 6_997))],
    after: 'sampling_complete',
  },
  { label: 'r4', items: read('r4', 'src/b.ts', 11_000) },
  {
    label: 'r5',
    items: [
      call('r5', 'WebFetch', { url: 'https://example.org/spec' }),
      result('r5', words('the page:', 7_997)),
    ],
  },
  {
    label: 'r6',
    items: [call('r6', 'Read', { file_path: 'diagram.png' }), result('r6', [IMAGE])],
  },
  { label: 'r7', items: shell('r7', 'npm test', 3_000, true) },
  {
    label: 'r8',
    items: [call('r8', 'Edit', { file_path: 'src/a.ts' }), result('r8', ofTokens(500))],
  },
  { label: 'r9', items: shell('r9', 'git commit -am "Port lexer"', 200) },
  { label: 'A2', items: [assistant(words('The lexer is done.', 495))], after: 'turn_complete' },
  // More than the budget of a preserved user message; what a user says is no sign of a boundary.
  {
    label: 'U2',
    items: [user(words('Moving on: here is the log.', 30_000))],
    before: 'turn_started',
  },
  {
    label: 'ERR',
    items: [
      assistant('API Error: overloaded', { is_api_error_message: true, model: '<synthetic>' }),
      user(ofTokens(300), { is_meta: true }),
    ],
  },
  // Two pieces of one message: never cut apart.
  {
    label: 'A3',
    items: [
      assistant(words('The grammar, part one:', 5_994), { id: 'm3' }),
      assistant([text(words('The grammar, part two:', 5_994))], { id: 'm3' }),
    ],
  },
  { label: 'r10', items: read('r10', 'src/c.ts', 6_000) },
  { label: 'r11', items: shell('r11', 'npm test', 4_000), after: 'sampling_complete' },
  {
    label: 'A4',
    items: [
      assistant([
        text(words('In summary, the lexer is ported.', 7_991)),
        { type: 'tool_use', id: 'r12', name: 'Read', input: { file_path: 'src/d.ts' } },
      ]),
      result('r12', words('content of src/d.ts:', 4_994)),
    ],
    after: 'sampling_complete',
  },
  { label: 'G2', items: [GHOST] },
  { label: 'U3', items: [user(CYRILLIC)], before: 'turn_started' },
  { label: 'A5', items: [assistant(words('It is read.', 3_497))], after: 'turn_complete' },
  { label: 'U4', items: [user(words('Now the printer.', 1_496))], before: 'turn_started' },
  { label: 'A6', items: [assistant(words('The printer:', 24_996))] },
  { label: 'r13', items: read('r13', 'src/e.ts', 9_000) },
  { label: 'r14', items: shell('r14', 'npm test', 9_000), after: 'sampling_complete' },
  { label: 'A7', items: [assistant(words('It prints.', 997))], after: 'turn_complete' },
  {
    label: 'U5',
    items: [user(words('Here is the whole build log.', 40_000))],
    before: 'turn_started',
  },
  {
    label: 'r19',
    items: [
      ...read('r15', 'src/f.ts', 12_000),
      ...shell('r16', 'make', 12_000),
      ...shell('r17', 'ls', 900),
      ...shell('r18', 'ls', 900),
      ...shell('r19', 'ls', 900),
    ],
    after: 'sampling_complete',
  },
  { label: 'A8', items: [assistant(words('The build works:', 49_995))], after: 'turn_complete' },
  { label: 'U6', items: [user(words('Then the tests.', 1_996))], before: 'turn_started' },
  { label: 'A9', items: [assistant(words('They pass.', 497))], after: 'turn_complete' },
  { label: 'MC', items: [user('/compact keep the names of the exported functions')] },
];
