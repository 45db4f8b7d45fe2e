import { afterEach, describe, expect, it } from 'vitest';
import { renderEntries } from '../../../src/domain/context/render.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { contextTokens } from '../../../src/domain/session/head.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, attachment, call, ofTokens, result, tool, user } from '../../support/items.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import {
  append,
  compact,
  compactByItself,
  last,
  reporting,
  StubModel,
  steps,
  WINDOW,
} from '../lab.ts';
import { openLab } from './lab.ts';

const GOOD = summaryAnswer();
const TALK = [user(`Fix the parser. ${ofTokens(2_000)}`), assistant('It is fixed.')];
/** One of each kind that is restored, and enough talk. */
const EVERYTHING = [
  ...TALK,
  attachment('plan', 'First the parser.'),
  attachment('todo', [{ content: 'ship it', status: 'pending' }]),
  ...tool('t', 'Read', 100, { file_path: 'src/parser.ts' }),
];

describe('fullCompact: j91', () => {
  it('CC-130: of no messages there is nothing to compact', async () => {
    const lab = await openLab();
    const events = await compact(lab, 'full');
    expect(steps(events)).toEqual(['requested', 'started', 'skipped']);
    const { data } = last(events, 'compaction.skipped');
    expect(data.reason).toBe('nothing_to_compact');
    expect(data.detail).toContain('there are no items');
    const row = await lab.store.compaction(lab.ref, data.compaction_id);
    expect(row).toMatchObject({ outcome: 'skipped', outcome_reason: 'nothing_to_compact' });
  });

  it('CC-131, CC-146: what the context counted before stands in report and boundary', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, user(ofTokens(5_000)), reporting(188_888));
    const { report, entries } = last(events, 'compaction.completed').data;
    expect(report.tokens_before).toBe(188_888);
    expect(entries[0]?.item.compact_metadata).toEqual({ trigger: 'auto', pre_tokens: 188_888 });
  });

  it.each([
    ['auto', true],
    ['manual', false],
  ])('CC-146: the boundary names its trigger: %s', async (trigger, isAutomatic) => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    if (isAutomatic) await compactByItself(lab, user(ofTokens(150_000)));
    else {
      await append(lab, ...TALK);
      await compact(lab, 'full');
    }
    const [boundary] = (await lab.view()).entries;
    expect(boundary?.item.compact_metadata).toMatchObject({ trigger });
  });

  it('CC-156: the boundary has these fields, and no others', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const events = await compact(lab, 'full');
    const completed = last(events, 'compaction.completed');
    expect(completed.data.entries[0]?.item).toEqual({
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      is_meta: false,
      level: 'info',
      timestamp: completed.at,
      // The lab counts its ids up; the service makes UUIDs.
      uuid: expect.stringMatching(/^id-\d+$/),
      compact_metadata: { trigger: 'manual', pre_tokens: completed.data.report.tokens_before },
    });
    expect(completed.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('CC-157: the model never sees it', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    await compact(lab, 'full');
    const { entries, format } = await lab.view();
    expect(entries[0]?.origin).toBe('boundary');
    const rendered = JSON.stringify(renderEntries(entries, format, format));
    expect(rendered).toContain('All done so far.');
    expect(rendered).not.toContain('Conversation compacted');
  });

  it('CC-147: the summary is a user message with two flags, and no meta message', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    await compact(lab, 'full');
    const { content, ...fields } = (await lab.view()).entries[1]?.item ?? {};
    expect(fields).toEqual({
      role: 'user',
      is_compact_summary: true,
      is_visible_in_transcript_only: true,
    });
    expect(content).toContain('All done so far.');
  });

  it('CC-144, CC-159, CC-190: boundary, summary, files, todos, plan, new messages', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...EVERYTHING);
    const requested = await lab.request('full');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    await lab.work(requested.value.id);
    await append(lab, user('And now?'));
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual([
      'boundary',
      'summary',
      'file',
      'todo',
      'plan',
      'log',
    ]);
    expect(entries.at(-1)?.item).toEqual(user('And now?'));
  });

  it('CC-159: what comes while the model writes stands after all that', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const summarize = model.ask.bind(model);
    model.ask = async (request) => {
      await append(lab, user('One more thing.'));
      return summarize(request);
    };
    await compact(lab, 'full');
    expect(model.prompt).not.toContain('One more thing.');
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual(['boundary', 'summary', 'log']);
    expect(entries.at(-1)?.item).toEqual(user('One more thing.'));
  });

  it('CC-155: everything is compacted but open calls', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...TALK, user('The last word.'), call('open', 'Bash'));
    await compact(lab, 'full');
    expect(model.prompt).toContain('The last word.');
    const { entries } = await lab.view();
    const origins = ['boundary', 'preserved', 'summary'];
    expect(entries.map(({ origin }) => origin)).toEqual([...origins, 'log']);
    expect(entries.at(-1)?.item).toEqual(call('open', 'Bash'));
    await append(lab, result('open', ofTokens(2_000)));
    await compact(lab, 'full');
    expect((await lab.view()).entries.map(({ origin }) => origin)).toEqual(origins);
  });

  it('CC-155: but the latest request, and what the agent has not read yet', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const request = user('What do the logs say?');
    const talk = [user(ofTokens(1_000)), assistant(ofTokens(140_000))];
    const unread = [call('log', 'Bash'), result('log', ofTokens(1_000))];
    await compactByItself(lab, ...talk, request, ...unread);
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual([
      'boundary',
      'preserved',
      'summary',
      'log',
      'log',
    ]);
    expect(entries[1]?.item).toEqual(request);
    expect(entries.slice(-2).map(({ item }) => item)).toEqual(unread);
  });

  it.each([
    ['short', 1_000, []],
    ['longer than a tenth of the window', 30_000, ['log', 'log']],
  ])('CC-155: by hand an unread result that is %s leaves %j', async (_what, tokens, kept) => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(
      lab,
      ...TALK,
      user('Go on.'),
      call('log', 'Bash'),
      result('log', ofTokens(tokens)),
    );
    await compact(lab, 'full');
    const { entries } = await lab.view();
    const origins = entries.map(({ origin }) => origin);
    expect(origins).toEqual(['boundary', 'preserved', 'summary', ...kept]);
  });

  it('CC-150: the tokens after are those of the new context, not those of the answer', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...EVERYTHING);
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    const { state } = await lab.head();
    expect(report.tokens_after).toBe(contextTokens(state, profileConfig('claude-code', WINDOW)));
    expect(report.tokens_after).not.toBe(report.usage.input + report.usage.output);
  });

  it('CC-152: after a failure nothing is left running, and the next request begins anew', async () => {
    const lab = await openLab({ summarizer_fallback: [] });
    const message = 'anthropic: status 401';
    StubModel.of(lab, { ok: false, reason: 'api_error', message, retryable: false }, GOOD);
    await append(lab, ...TALK);
    expect(steps(await compact(lab, 'full'))).toEqual(['requested', 'started', 'failed']);
    expect((await lab.head()).state.running).toBeNull();
    expect(steps(await compact(lab, 'full'))).toEqual(['requested', 'started', 'completed']);
  });
});

describe('the command /compact', () => {
  it('CC-211: compacts by hand and in full, with the instructions after it', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const { compaction } = await append(lab, user('/compact keep the names of the tables'));
    expect(compaction).toMatchObject({ mode: 'full', trigger: 'manual', reason: 'command' });
    if (compaction === null) throw new Error('nothing was requested');
    await lab.work(compaction.id);
    expect(model.prompt).toContain('## Additional instructions\n\nkeep the names of the tables\n');
    expect(model.prompt).not.toContain('/compact');
    const [boundary, summary, ...rest] = (await lab.view()).entries;
    expect(boundary?.item.compact_metadata).toMatchObject({ trigger: 'manual' });
    expect(summary?.item.content).not.toContain('Please continue');
    expect(rest).toEqual([]);
    expect(JSON.stringify(await lab.events())).toContain('/compact keep the names');
  });
});

describe('the result of a compaction', () => {
  let api: ApiServer;
  afterEach(() => api.close());

  it('CC-151, CC-153, CC-186: its parts, and what is said while it runs', async () => {
    api = await startApi();
    const session = { id: 's', profile: 'claude-code', context_window: WINDOW };
    await send(api, 'POST', '/sessions', { body: session });
    await send(api, 'POST', '/sessions/s/items', { body: EVERYTHING });
    const before = (await send(api, 'GET', '/sessions/s/context')).body.tokens;
    const requested = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
    const id = String(requested.body.id);
    const running = { id, status: 'queued', mode: 'full', trigger: 'manual' };
    expect((await send(api, 'GET', '/sessions/s')).body.running_compaction).toEqual(running);
    await api.work(api.dispatched.at(-1));
    expect((await send(api, 'GET', '/sessions/s')).body.running_compaction).toBeNull();
    const { body } = await send(api, 'GET', `/sessions/s/compactions/${id}`);
    expect(body).toMatchObject({
      outcome: 'full_compacted',
      boundary: { subtype: 'compact_boundary' },
      summary: expect.stringContaining('Primary request and intent'),
      restored: [{ kind: 'file', path: 'src/parser.ts' }, { kind: 'todo' }, { kind: 'plan' }],
      hook_runs: [],
      user_display_message: null,
      tokens_before: before,
      tokens_after: (await send(api, 'GET', '/sessions/s/context')).body.tokens,
    });
  });
});
