import { expect, test } from 'vitest';
import { summarizeExtractively } from '../../src/domain/compaction/extractive/summarize.ts';
import { cleanSummary, extractSummaryText } from '../../src/domain/compaction/summary.ts';
import { transcriptText } from '../../src/domain/compaction/transcript-text.ts';
import { showsWhatIs } from '../../src/domain/digests/kind.ts';
import { sessionHint } from '../../src/domain/gateway/session-hint.ts';
import { summaryTurn } from '../../src/domain/gateway/summary-turn.ts';
import { codecFor } from '../../src/domain/items/codecs.ts';
import type { Item, Message, Normalised } from '../../src/domain/items/item.ts';
import { readOpaque } from '../../src/domain/items/opaque.ts';
import { utterancesOf } from '../../src/domain/items/speaker.ts';
import { withoutQuestions } from '../../src/domain/items/user-words.ts';
import { approvedPlan } from '../../src/domain/ledger/approved-plan.ts';
import { commandKey, runKindOf } from '../../src/domain/ledger/command-line.ts';
import { Conclusions } from '../../src/domain/ledger/conclusions.ts';
import { extractNames, namesStandingIn } from '../../src/domain/names.ts';
import { compactionCommand } from '../../src/domain/policy/commands.ts';
import { profileConfig } from '../../src/domain/policy/profiles.ts';
import { commandReader } from '../../src/domain/policy/shell-commands.ts';
import { completedSteps, hasSucceeded, textBoundaries } from '../../src/domain/policy/signals.ts';
import { estimator } from '../../src/domain/tokens/count.ts';
import { toldIn } from '../../src/domain/workspace/program-notes.ts';
import { manyFiles } from '../../src/domain/workspace/read-result.ts';
import { sumsUpFailure } from '../../src/domain/workspace/sums-up.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { assistant, attachment, call, result, user } from '../support/items.ts';
import { ledgersOfItems } from '../support/ledgers.ts';
import { atScale } from '../support/scale.ts';

const config = profileConfig('rawr', 200_000);
const count = estimator(config);
const anthropic = codecFor('anthropic');
const SIZE = atScale({ brief: 16_000, short: 160_000, long: 160_000 });
/** What is over in this time is over in time, however its time grows. */
const NO_MATTER_MS = 200;

/** Runs, unclosed and nested tags, and what the patterns of the domain begin with, again and again. */
const UNITS = [
  ...[
    'a',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '-',
    '.',
    '/',
    '\\',
    '@',
    '_',
    '1',
    '<',
    '[',
    '"',
    '`',
    '\u200b',
    '😀',
    '“',
    '漢',
  ],
  ...['<summary>', '</summary>', '<analysis>', '<analysis><summary>', '<system-reminder>'],
  ...['<system-reminder></system-reminder>', '<task-notification>', '<environment_context>\n'],
  ...['[x](', '- [ ] a\n', '1. a\n', '12\t', '```\n', 'a.b', 'a/b ', 'a-b-', 'aB', '## a\n', '> '],
  ...['We decided that. ', 'Error: x\n', 'exit code: 0\n', '\u001b[', '\u001b]', 'http://a/'],
  ...[
    'data:',
    'data:image/png;base64,',
    'a;',
    'a=',
    'C:\\a',
    '*** Update File: a.ts\n',
    '@@ -1 +1 @@\n+a\n',
  ],
  ...['u', 'i', ', "', ', "a"="b"', '"\r', '--- \r', '<note>/'],
  ...['cat a.ts && ', "sed -n '1,2p' a.ts; ", '/compact ', '{', '_session_', 'search'],
];

const summary = (...items: Item[]) =>
  summarizeExtractively(ledgersOfItems(items.map((item) => anthropic.normalise(item))), {
    max_tokens: 8_000,
    count,
    template: 'nine-sections',
  });
const message = (text: string): Normalised => anthropic.normalise(user(text));
const spoken = (text: string): Message => {
  const item = message(text);
  if (item.kind !== 'message') throw new Error('no message');
  return item;
};
const callOf = (input: string) =>
  ({ kind: 'tool_call', id: 'c', name: 'bash', input, source: null }) as const;

const ENTRIES: [string, (text: string) => unknown][] = [
  ['a summary of a user message', (text) => summary(user(text))],
  ['a summary of a quotation', (text) => summary(user(`“${text}`))],
  [
    'who speaks below the output of many commands',
    (text) => utterancesOf(spoken(`${'Ran `x`\n```\nout\n```\n'.repeat(200)}${text}x`)),
  ],
  ['a summary of a reply', (text) => summary(user('Go on.'), assistant(text))],
  [
    'a summary of a result',
    (text) => summary(call('c', 'Bash', { command: 'ls' }), result('c', text)),
  ],
  [
    'a summary of a failed result',
    (text) => summary(call('c', 'Bash', {}), result('c', text, { is_error: true })),
  ],
  [
    'a summary of a command',
    (text) => summary(call('c', 'Bash', { command: text }), result('c', 'ok')),
  ],
  [
    'a summary of an edit',
    (text) => summary(call('c', 'Edit', { file_path: 'a.ts', old_string: text, new_string: text })),
  ],
  [
    'a summary of a file',
    (text) => summary(call('c', 'Write', { file_path: text, content: text })),
  ],
  [
    'a summary of what a program tells of a file',
    (text) =>
      summary(
        user(
          `<system-reminder>\nNote: a.ts was modified, either by the user or by a linter. ${text}x`,
        ),
      ),
  ],
  [
    'a request of a client for a summary',
    (text) =>
      summaryTurn([
        user('a'),
        assistant('b'),
        user(
          `Your task is to create a detailed summary of this. ${text}Additional Instructions:${text}x`,
        ),
      ]),
  ],
  [
    'a file in a data URL',
    (text) => readOpaque({ type: 'input_file', filename: 'a', file_data: `data:${text}` }),
  ],
  [
    'a summary of a copy',
    (text) => summary(call('c', 'Bash', { command: `cp "$A" a${text}` }), result('c', 'ok')),
  ],
  [
    'a summary of a part that is read',
    (text) =>
      summary(call('c', 'Bash', { command: `sed -n '1p${text}x' a.ts` }), result('c', 'ok')),
  ],
  [
    'a summary of a filter that is read',
    (text) =>
      summary(
        call('c', 'Bash', { command: `awk 'NR>=1 && NR<=2${text}x' a.ts` }),
        result('c', 'ok'),
      ),
  ],
  [
    'what a skill was called with',
    (text) => toldIn(spoken(`Base directory for this skill: /a\n\nx\n\nARGUMENTS: a${text}\nx`)),
  ],
  [
    'a summary of options',
    (text) => {
      const command = `git add -${text}! && git commit -${text}! && perl -${text}! -e 1 a.ts`;
      return summary(call('c', 'Bash', { command }), result('c', 'ok'));
    },
  ],
  ['a tool by its name', (text) => showsWhatIs(`${text}web`)],
  [
    'the session that a user id names',
    (text) => sessionHint('messages', () => null, { metadata: { user_id: `a${text}!` } }),
  ],
  ['a summary of a patch', (text) => summary(call('c', 'apply_patch', { input: text }))],
  ['a summary of a plan', (text) => summary(call('c', 'ExitPlanMode', { plan: text }))],
  ['a summary of todos', (text) => summary(attachment('todo', text))],
  ['a summary of a summary', (text) => summary(user(text, { is_compact_summary: true }))],
  ['the record of a message', (text) => transcriptText([message(text)])],
  ['the names in a text', extractNames],
  ['the names that stand in a text', (text) => namesStandingIn(text)('a.ts')],
  ['the cleaning of a summary', (text) => cleanSummary(text, true)],
  [
    'the cleaning of an unclosed summary',
    (text) => cleanSummary(`<analysis>${text}</analysis><summary>${text}`, false),
  ],
  ['the extraction of a summary', extractSummaryText],
  [
    'the success of a command',
    (text) =>
      hasSucceeded({
        kind: 'tool_result',
        call_id: 'c',
        content: [{ kind: 'text', text }],
        is_error: false,
      }),
  ],
  ['the boundaries in a reply', (text) => textBoundaries(text, config)],
  ['the boundaries in a command', (text) => commandReader(config)(callOf(text))],
  ['a command for the service', (text) => compactionCommand(message(text))],
  ['the same with instructions', (text) => compactionCommand(message(`/compact ${text}`))],
  [
    'the steps of a plan',
    (text) => completedSteps({ ...callOf(text), name: 'update_plan' }, config),
  ],
  ['tokens', count],
  ['a rendered message', (text) => anthropic.render([user(text)])],
  [
    'a converted call',
    (text) => {
      const calls = [{ id: text, type: 'function', function: { name: text, arguments: text } }];
      const item = { role: 'assistant', content: null, tool_calls: calls };
      return codecFor('anthropic').encode(codecFor('openai-chat').normalise(item));
    },
  ],
];

test.each(ENTRIES)(
  '%s takes no more than linear time, whatever the text',
  { timeout: 300_000 },
  (_, run) => {
    const slow = UNITS.filter((unit) => isSlow(run, unit));
    expect(slow).toEqual([]);
  },
);

/** These read a part of a long text: their time does not grow with it, and still may be too much. */
const BOUNDED: [string, (text: string) => unknown][] = [
  [
    'the heading of a result',
    (text) => utterancesOf(spoken(`[read_file for a] Result:${text.slice(0, 19_000)}x`)),
  ],
  ['the end of an output', (text) => sumsUpFailure(`1${text}x`)],
  // What takes twice as long with each further character is too slow by then.
  ['what a script does', (text) => runKindOf(`npm run build-${text.slice(0, 28)}!`)],
  ['answers without their questions', (text) => withoutQuestions(text + text)],
  ['files that are read together', (text) => manyFiles(text + text)],
  ['the report of a task', (text) => new Conclusions([]).report(text.repeat(4), 'subagent', 2)],
  [
    'a plan that is carried out',
    (text) => approvedPlan(`Implement the plan${text}x`, `<proposed_plan>${text}x`),
  ],
  [
    'a plan that was proposed',
    (text) => approvedPlan('Implement the plan.', `<proposed_plan>a${text}x`),
  ],
  ['the key of a command', (text) => commandKey(`npm test ${text}x`)],
  ['the key of one that ends in an open quote', (text) => commandKey(`npm test ${text}"`)],
];
const BLANKS = ' '.repeat(20);
const SHOWERS = [`| tail${BLANKS}`, `; echo${BLANKS}`, `> /tmp/a ; echo${BLANKS}`, 'cd "a" && '];

test.each(BOUNDED)('%s takes little time, whatever the text', (_, run) => {
  const slow = [...UNITS, ...SHOWERS].filter((unit) => {
    const text = unit.repeat(Math.ceil(SIZE / unit.length));
    return [0, 1, 2].every(() => cpuMsOf(() => run(text)) > NO_MATTER_MS);
  });
  expect(slow).toEqual([]);
});

/** Others use the machine: only what is slow each time is. */
function isSlow(run: (text: string) => unknown, unit: string): boolean {
  const timeOf = (size: number) => {
    const text = unit.repeat(Math.ceil(size / unit.length));
    return cpuMsOf(() => run(text));
  };
  return [0, 1, 2].every(() => {
    const twice = timeOf(SIZE);
    return twice > NO_MATTER_MS && twice / timeOf(SIZE / 2) >= 3;
  });
}

function cpuMsOf(run: () => unknown): number {
  const started = cpuMs();
  run();
  return cpuMs() - started;
}
