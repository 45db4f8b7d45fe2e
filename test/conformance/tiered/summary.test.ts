import { describe, expect, it } from 'vitest';
import { renderEntries } from '../../../src/domain/context/render.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { loadTemplates } from '../../../src/workers/templates.ts';
import { assistant, call, ofTokens, result, tool, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryText } from '../../support/summary-text.ts';
import { append, compact, compactByItself, last, StubModel } from '../lab.ts';
import { GOOD, openLab } from './lab.ts';

const { text: TEMPLATE } = loadTemplates().summary['seven-sections'];
const SECTIONS = [
  'Task state',
  'Files',
  'Tool history',
  'Errors',
  'Decisions',
  'User guidance',
  'Next steps',
];

const OLD = [user(`Fix the parser. ${ofTokens(1_000)}`), assistant('It is fixed.')];
/** The messages that stay. */
const NEW = Array.from({ length: 12 }, (_, n) =>
  n % 2 === 0 ? user(`Question ${n}`) : assistant(`Answer ${n}`),
);

/** A session with these items in front of the messages that stay, compacted in full. */
async function compacted(old: Item[], reply: string | null = GOOD) {
  const lab = await openLab();
  const model = reply === null ? null : StubModel.of(lab, reply);
  await append(lab, ...old, ...NEW);
  const events = await compact(lab, 'full');
  return { lab, prompt: model?.prompt ?? '', ...last(events, 'compaction.completed').data };
}

async function summaryItem(lab: SessionLab): Promise<Item> {
  const found = (await lab.view()).entries.find(({ origin }) => origin === 'summary');
  if (found === undefined) throw new Error('the context holds no summary');
  return found.item;
}

describe('the prompt', () => {
  it('TI-15, TI-91: the old messages, as data, and after them the structured task', async () => {
    const { prompt } = await compacted(OLD);
    const [record = '', task = ''] = prompt.split('</conversation-record>\n\n');
    expect(record).toMatch(/^<conversation-record>\n<record-entry role="user">\nFix the parser\./);
    expect(record).not.toContain('Question');
    expect(task.startsWith(TEMPLATE)).toBe(true);
    expect(task).toMatch(/^Summarise the conversation record above so that the agent can go on/);
  });

  it('TI-20: has seven numbered sections, in this order', () => {
    const places = SECTIONS.map((title, index) => TEMPLATE.indexOf(`\n${index + 1}. ${title}: `));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(TEMPLATE).not.toMatch(/\n8\. /);
  });

  it.each([
    ['TI-21', /1\. Task state: the goal, how far it has come, what is left to do\./],
    ['TI-22', /2\. Files: a list of the full paths of all files .* read, written or edited/],
    ['TI-23', /3\. Tool history: the tools .* what mattered in their results, one line for each/],
    ['TI-24', /4\. Errors: the problems that came up, .* how each was settled/],
    ['TI-25', /5\. Decisions: choices of design and approach, each with its reason/],
    ['TI-26', /6\. User guidance: corrections, preferences and limits that the user set/],
    ['TI-27', /7\. Next steps: the very next action/],
    ['TI-28', /exactly these seven numbered sections\. None of them may be missing/],
    ['TI-29', /Keep file paths, error messages, commands and patterns in the code exactly/],
    ['TI-29', /go on with the work at once, without asking the user for anything/],
  ])('%s: asks for %s', (_id, words) => {
    expect(TEMPLATE).toMatch(words);
  });

  it('TI-28: an answer without the sections is no summary, and is asked for again', async () => {
    const lab = await openLab({ protected_messages: 0 });
    StubModel.of(lab, 'Only a sentence that could stand for anything.');
    await append(lab, ...OLD);
    const { reason, message, will_retry } = last(
      await compact(lab, 'full'),
      'compaction.failed',
    ).data;
    expect({ reason, will_retry }).toEqual({ reason: 'no_summary', will_retry: true });
    expect(message).toContain('it has 0 of the 7 sections that were asked for');
  });

  it.each([
    [3, false],
    [4, true],
  ])('TI-28: an answer with %i of the seven sections is taken: %s', async (count, isTaken) => {
    const lab = await openLab({ protected_messages: 0 });
    const parts = SECTIONS.slice(0, count).map(
      (title, n) => `## ${n + 1}. ${title}\nThe parser of src/dates.ts reads part ${n} by now.`,
    );
    StubModel.of(lab, `<summary>\n${parts.join('\n\n')}\n</summary>`);
    await append(lab, ...OLD);
    const types = (await compact(lab, 'full')).map(({ type }) => type);
    expect(types.at(-1)).toBe(isTaken ? 'compaction.completed' : 'compaction.failed');
  });
});

describe('the summary from the log', () => {
  const RICH = [
    user('Make src/parser.ts read dates. Never touch the tests.'),
    ...tool('read', 'Read', 6_000, { file_path: 'src/parser.ts' }),
    call('edit', 'Edit', { file_path: 'src/dates.ts', old_string: 'a', new_string: 'b' }),
    result('edit', 'The file src/dates.ts has been updated.'),
    call('test', 'Bash', { command: 'npm test' }),
    result('test', 'Error: cannot read 2026-02-30', { is_error: true }),
    assistant('I decided to use Temporal because Date rolls invalid days over.'),
    user('Use the UTC calendar instead.'),
    user('Go on.'),
    assistant('The next step is to reject invalid days.'),
  ];

  it.each([
    ['TI-21', 'Task state', /Make src\/parser\.ts read dates/],
    ['TI-22', 'Files', /src\/parser\.ts[\s\S]*src\/dates\.ts|src\/dates\.ts[\s\S]*src\/parser\.ts/],
    ['TI-23', 'Tool history', /npm test/],
    ['TI-24', 'Errors', /cannot read 2026-02-30/],
    ['TI-25', 'Decisions', /use Temporal because Date rolls/],
    ['TI-26', 'User guidance', /Use the UTC calendar instead/],
    ['TI-27', 'Next steps', /reject invalid days/],
  ])('%s, TI-86: tells under %s: %s', async (_id, title, words) => {
    const { summary_text } = await compacted(RICH, null);
    const section = new RegExp(`## ${title}\n([\\s\\S]*?)(?=\n## |$)`).exec(summary_text)?.[1];
    expect(section).toMatch(words);
  });

  it('TI-20: has the sections in their order', async () => {
    const { summary_text } = await compacted(RICH, null);
    const titles = [...summary_text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(SECTIONS);
  });
});

describe('the message that holds it', () => {
  it('TI-16: one user message with a flag and a sentence in front', async () => {
    const { lab } = await compacted(OLD);
    const item = await summaryItem(lab);
    expect(item).toMatchObject({ role: 'user', is_compact_summary: true });
    expect(item.content).toBe(
      'This session is being continued from a previous conversation that ran out of context.\n' +
        `The conversation is summarized below:\nSummary:\n${summaryText()}`,
    );
    const { entries } = await lab.view();
    expect(entries.filter(({ origin }) => origin === 'summary')).toHaveLength(1);
  });

  it('TI-66: nothing of it is asked or shown, and the agent is told to go on', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await compactByItself(lab, user(ofTokens(121_000)), ...NEW);
    const { content } = await summaryItem(lab);
    expect(content).toMatch(/\nPlease continue .* without asking the user any further questions/);
    const { entries, format } = await lab.view();
    const rendered = JSON.stringify(renderEntries(entries, format, format));
    expect(rendered).toContain('All done so far.');
    expect(rendered).not.toContain('Conversation compacted');
  });
});
