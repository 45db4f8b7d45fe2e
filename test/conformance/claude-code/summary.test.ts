import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { summarizerChooser } from '../../../src/workers/summarizers/registry.ts';
import { loadTemplates } from '../../../src/workers/templates.ts';
import { assistant, call, ofTokens, result, tool, user } from '../../support/items.ts';
import { answer, type Behaviour, hang } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer, summaryText } from '../../support/summary-text.ts';
import { append, compact, compactByItself, last, StubModel, steps } from '../lab.ts';
import { openLab } from './lab.ts';

const TEMPLATES = loadTemplates();
const TALK = [user(`Fix the parser. ${ofTokens(1_000)}`), assistant('It is fixed.')];
const AUTOMATIC = user(ofTokens(150_000));

/** The text of the summary item after a compaction for which a model answers this. */
async function summaryOf(reply: string, isAutomatic = false): Promise<unknown> {
  const lab = await openLab();
  StubModel.of(lab, reply);
  if (isAutomatic) await compactByItself(lab, AUTOMATIC);
  else {
    await append(lab, ...TALK);
    await compact(lab, 'full');
  }
  const { entries } = await lab.view();
  return entries.find(({ origin }) => origin === 'summary')?.item.content;
}

/** What stands between the first sentences and the last full stop. */
async function cleaned(reply: string): Promise<string | undefined> {
  const content = String(await summaryOf(reply));
  return /is summarized below:\n([\s\S]*)\.$/.exec(content)?.[1];
}

/** `§` stands for a summary that says something. */
describe('cleanupSummaryTags: MD5', () => {
  it.each([
    ['CC-160', '<analysis>\n  x \n</analysis>\n<summary>§</summary>', 'Analysis:\nx\nSummary:\n§'],
    ['CC-161', '<summary>\n\n §\n</summary>', 'Summary:\n§'],
    [
      'CC-162: the first of each, the text around it stays',
      'Before. <analysis>a</analysis> Between. <summary>§</summary> After.',
      'Before. Analysis:\na Between. Summary:\n§ After.',
    ],
    [
      'CC-162: tags inside a part are text',
      '<analysis>a</analysis><summary>§ <analysis>c</analysis></summary>',
      'Analysis:\naSummary:\n§ <analysis>c</analysis>',
    ],
    [
      'CC-163: runs of newlines become one blank line, the ends are trimmed',
      '\n\n<summary>a\n\n\n\nb\n\nc\n§</summary>\n\n',
      'Summary:\na\n\nb\n\nc\n§',
    ],
    [
      'CC-163: a line of blanks is empty, the blanks of other lines stay',
      '<summary>a\n \t\n\n  b  c\n§</summary>',
      'Summary:\na\n\n  b  c\n§',
    ],
    ['CC-179: a part that is not closed ends with the answer', '<summary>a\n§', 'Summary:\na\n§'],
    ['CC-164: without tags nothing changes', 'Plain text.\n§', 'Plain text.\n§'],
  ])('%s', async (_row, reply, expected) => {
    const filled = (text: string) => text.replace('§', summaryText('Done'));
    expect(await cleaned(filled(reply))).toBe(filled(expected));
  });
});

describe('formatSummaryContent: T91', () => {
  it('CC-165, CC-167: a compaction by hand has the sentences, the summary and a full stop', async () => {
    expect(await summaryOf(summaryAnswer('All is done'))).toBe(
      'This session is being continued from a previous conversation that ran out of context. ' +
        `The conversation is summarized below:\nSummary:\n${summaryText('All is done.')}`,
    );
  });

  it('CC-165, CC-166: an automatic one asks to go on', async () => {
    expect(await summaryOf(summaryAnswer('All is done'), true)).toBe(
      'This session is being continued from a previous conversation that ran out of context. ' +
        `The conversation is summarized below:\nSummary:\n${summaryText('All is done.')}\n` +
        'Please continue the conversation from where we left it off without asking the user any ' +
        'further questions. Continue with the last task that you were asked to work on.',
    );
  });
});

describe('getSummarizationPrompt: R91', () => {
  const promptWith = async (instructions?: string) => {
    const lab = await openLab();
    const model = StubModel.of(lab, summaryAnswer('All is done.'));
    await append(lab, ...TALK);
    await compact(lab, 'full', instructions);
    return model.prompt;
  };

  it('CC-168: without instructions, or with blank ones, it is the base prompt alone', async () => {
    const base = await promptWith();
    expect(base).toContain(TEMPLATES.summary['nine-sections'].text);
    expect(base).not.toContain('Additional instructions');
    expect(await promptWith('  \n ')).toBe(base);
  });

  it('CC-169: instructions stand after the base prompt, a blank line between', async () => {
    const base = TEMPLATES.summary['nine-sections'].text;
    const prompt = await promptWith('Keep the names of the tables.');
    const heading = '\n\n## Additional instructions\n\nKeep the names of the tables.\n\n';
    expect(prompt).toContain(`${base}${heading}`);
    expect(prompt.slice(prompt.indexOf(heading) + heading.length)).toMatch(/^## Length\n\n[^#]*$/);
  });

  it('CC-136, CC-177: the conversation comes first, as data, the task after it', async () => {
    const prompt = await promptWith();
    expect(prompt).toMatch(/^<conversation-record>\n<record-entry role="user">\nFix the parser\./);
    const [, task = ''] = prompt.split('\n</conversation-record>\n\n');
    expect(task.startsWith(TEMPLATES.summary['nine-sections'].text)).toBe(true);
    expect(task).toMatch(/^Summarise the conversation record above/);
  });
});

describe('the prompt', () => {
  const { text } = TEMPLATES.summary['nine-sections'];
  const SECTIONS = [
    'Primary request and intent',
    'Key technical concepts',
    'Files and code sections',
    'Errors and fixes',
    'Problem solving',
    'All user messages',
    'Pending tasks',
    'Current work',
    'Optional next step',
  ];

  it('CC-170: asks for an analysis first, in its tags', () => {
    expect(text).toMatch(/^First think on paper inside `<analysis>` tags/m);
    expect(text.lastIndexOf('<analysis>')).toBeLessThan(text.lastIndexOf('<summary>'));
  });

  it.each([
    ['the order of time', /from the oldest entry to the newest/],
    ['requests and intent', /what the user asked for, and what was meant by it/],
    ['the approach', /how the agent went about it/],
    ['decisions, concepts, patterns', /decisions, technical concepts and patterns in the code/],
    ['details', /file names, function signatures, snippets/],
    ['errors and their fixes', /errors that occurred and what cured them/],
    ['feedback, above all corrections', /what the user said .* where the user corrected the agent/],
  ])('CC-171: the analysis covers %s', (_point, words) => {
    expect(text).toMatch(words);
  });

  it('CC-172: nine numbered sections, in this order', () => {
    const numbered = SECTIONS.map((title, index) => `\n${index + 1}. ${title}: `);
    const places = numbered.map((heading) => text.indexOf(heading));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('CC-173: section 6 is about messages of the user that are no tool results', () => {
    expect(text).toMatch(/6\. All user messages: .*Tool output is not a user message\./);
  });

  it('CC-174, CC-175: quotes word for word, and the newest part has the most room', () => {
    expect(text).toMatch(/9\. Optional next step: .*verbatim quote from the newest entries/);
    expect(text).toContain("Quote the user's requirements and constraints verbatim");
    expect(text).toContain('Give the newest part of the record the most room.');
  });

  it('CC-172, CC-173: the summary from the log keeps the order, and tool output out of the sixth', async () => {
    const lab = await openLab();
    const messages = ['Fix src/parser.ts.', 'Never touch the tests.', 'Keep the API.', 'Go on.'];
    for (const message of messages) await append(lab, user(message), assistant('I will do so.'));
    await append(lab, ...tool('t', 'Bash', 900, { command: 'npm test' }));
    await append(lab, call('u', 'Bash', { command: 'ls' }), result('u', 'Error: no such file'));
    const { summary_text } = last(await compact(lab, 'full'), 'compaction.completed').data;
    const found = [...summary_text.matchAll(/^## (.+)$/gm)].map(([, title]) => title ?? '');
    expect(found).toContain('All user messages');
    const titles = found.filter((title) => title !== 'Names');
    expect(titles).toEqual(SECTIONS.filter((title) => titles.includes(title)));
    const sixth = /## All user messages\n([^#]*)/.exec(summary_text)?.[1];
    expect(sixth).toContain('Never touch the tests.');
    expect(sixth).not.toMatch(/abc|no such file/);
  });
});

describe('the request to the model', () => {
  let server: ScriptedModelServer;
  beforeEach(async () => {
    server = await ScriptedModelServer.start();
  });
  afterEach(() => server.close());

  /** A lab whose sessions belong to Anthropic, where this server stands. */
  async function labWith(script: Behaviour[], config: ConfigOverrides = {}): Promise<SessionLab> {
    server.script(...script);
    const lab = await openLab({ summarizer_fallback: [], ...config });
    const environment = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.anthropicUrl };
    const choose = summarizerChooser(null, environment);
    const defaults = profileConfig('claude-code', 200_000);
    lab.summarizer = choose({ model: 'claude-opus-4-5', format: 'anthropic' }, defaults);
    return lab;
  }

  it('CC-137, CC-138, CC-139, CC-140: system prompt, small model, no thinking, streamed', async () => {
    const lab = await labWith([answer(summaryAnswer('All is done.'))]);
    await append(lab, ...TALK);
    const events = await compact(lab, 'full');
    expect(server.requests).toHaveLength(1);
    const { body } = server.requests[0] ?? {};
    expect(body).toMatchObject({ model: 'claude-haiku-4-5', stream: true });
    expect(body).not.toHaveProperty('thinking');
    expect(JSON.stringify(body?.system)).toContain(
      'You write the summary that stands in for the older part of a conversation',
    );
    const { report } = last(events, 'compaction.completed').data;
    expect(report.model).toBe('anthropic/claude-haiku-4-5');
    expect(report.summarizer).toBe('model');
  });

  it('CC-12: a model that hangs is given up after its time', async () => {
    const lab = await labWith([hang()], { summarizer_timeout_seconds: 0.2 });
    await append(lab, ...TALK);
    const events = await compact(lab, 'full');
    expect(last(events, 'compaction.failed').data).toMatchObject({
      reason: 'timeout',
      will_retry: true,
    });
  });

  it.each([
    ['CC-141', '', 'no_summary'],
    ['CC-141', '<analysis>Nothing but this.</analysis>', 'no_summary'],
    ['CC-142', 'API Error: 529 overloaded', 'api_error'],
  ])('%s: the answer %j is no summary, but a failure: %s', async (_id, reply, reason) => {
    const lab = await labWith([answer(reply), answer(reply), answer(reply)]);
    const { compaction } = await append(lab, AUTOMATIC);
    if (compaction === null) throw new Error('nothing was requested');
    for (let attempt = 0; attempt < 3; attempt++) await lab.work(compaction.id);
    const events = (await lab.events()).slice(-6);
    expect(steps(events)).toEqual(['started', 'failed', 'started', 'failed', 'started', 'failed']);
    const { data } = last(events, 'compaction.failed');
    expect(data).toMatchObject({ reason, will_retry: false });
    if (reply !== '') expect(data.message).not.toContain(reply);
  });
});

describe('time limits', () => {
  it('CC-12: the call of the model has 60,000 milliseconds', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, summaryAnswer('All is done.'));
    await append(lab, ...TALK);
    await compact(lab, 'full');
    expect(model.requests.map(({ timeout_ms }) => timeout_ms)).toEqual([60_000]);
  });
});
