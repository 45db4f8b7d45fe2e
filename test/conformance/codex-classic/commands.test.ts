import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { summarizerFromModelName } from '../../../src/workers/summarizers/registry.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, PROGRESS, text, thinking, tool, user } from '../../support/items.ts';
import { answer } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { append, compactByItself, last, recordOf, StubModel, steps } from '../lab.ts';
import { appendTo, compactByCommand, GOOD, openLab, turns } from './lab.ts';

/** What follows when the user says this after some turns. */
function said(...items: Item[]) {
  return appendTo([...turns(3), ...items]);
}

describe('the command', () => {
  it.each([
    ['CL-01', '/codex-compact'],
    ['CL-01', '/compact'],
    ['CL-01', 'codex-compact'],
    ['CL-02', '/COMPACT'],
    ['CL-02', 'Codex-Compact'],
    ['CL-02', '/Codex-compact'],
    ['CL-47: blanks around it do not count', '  /compact \n'],
  ])('%s: %j is one', (_ids, command) => {
    const { answer, events } = said(user(command));
    expect(answer.compaction).toMatchObject({ mode: 'full', trigger: 'manual', reason: 'command' });
    expect(events.at(-1)).toMatchObject({
      type: 'compaction.requested',
      data: { attribution: { path: 'command' } },
    });
  });

  it.each([
    ['CL-03', 'please /compact'],
    ['CL-03', '/compacting'],
    ['CL-03', 'codex-compact.md'],
    ['CL-03, CL-47', '/ compact'],
    ['CL-03, CL-47', 'compact'],
    ['CL-62', '/codex-metrics'],
    ['CL-62', '/codex-inspect'],
  ])('%s: %j is none', (_ids, message) => {
    const { answer, events } = said(user(message));
    expect(answer.compaction).toBeNull();
    expect(events.at(-1)).toMatchObject({ type: 'item.appended', data: { item: user(message) } });
    expect(events.at(-1)?.data).not.toHaveProperty('excluded');
  });

  it('CL-03: text after it are instructions for the summary', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await compactByItself(lab, ...turns(3), user('/compact keep API names'));
    expect(model.prompt).toContain('## Additional instructions\n\nkeep API names\n');
  });

  it('CL-11: only what the user says last is looked at', () => {
    expect(said(user('/compact'), user('and then?')).answer.compaction).toBeNull();
    expect(said(user('/compact'), assistant('Done.')).answer.compaction).toBeNull();
    expect(said(user('and then?'), user('/compact')).answer.compaction).not.toBeNull();
    expect(said(assistant('/compact')).answer.compaction).toBeNull();
  });

  it('CL-05, CL-11: of two commands the last one counts, the first is a message like others', () => {
    const { answer, events } = said(user('/compact First.'), user('/compact Second.'));
    expect(answer.compaction).toMatchObject({ reason: 'command' });
    const requests = events.filter(({ type }) => type === 'compaction.requested');
    expect(requests.map(({ data }) => data)).toMatchObject([{ instructions: 'Second.' }]);
    const items = events.flatMap(({ data }) => ('item' in data ? [data] : []));
    expect(items.slice(-2)).toEqual([
      expect.not.objectContaining({ excluded: 'command' }),
      expect.objectContaining({ excluded: 'command' }),
    ]);
  });

  it('CL-04, CL-05: never reaches a model, and is in the log all the same', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const { compaction } = await append(lab, ...turns(3), user('/codex-compact'));
    if (compaction === null) throw new Error('nothing was requested');
    expect((await lab.view()).entries.map(({ item }) => item)).toEqual(turns(3));
    await lab.work(compaction.id);
    expect(model.prompt).not.toContain('codex-compact');
    expect(model.prompt).toContain('Answer 3.');
    expect(JSON.stringify((await lab.view()).entries)).not.toContain('codex-compact');
    expect((await lab.events()).map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ item: user('/codex-compact'), excluded: 'command' }),
    );
  });

  it('CL-06: the prompt holds the filtered conversation', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await compactByCommand(
      lab,
      ...turns(1),
      PROGRESS,
      user('A reminder.', { is_meta: true }),
      assistant([thinking('Hm.')]),
      assistant([thinking('Hm.'), text('Said.')]),
    );
    expect(recordOf(model.prompt).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'assistant',
    ]);
    expect(model.prompt).toContain('Said.');
    expect(model.prompt).not.toMatch(/Hm\.|A reminder|percent/);
  });

  it('CL-09: comes before the limit: one compaction, by hand', () => {
    const { answer, events } = appendTo([...turns(10), user('/compact')], {
      auto_compact_token_limit: 1_000,
    });
    expect(answer.context.tokens).toBeGreaterThan(1_000);
    expect(answer.compaction).toMatchObject({ trigger: 'manual', reason: 'command' });
    expect(events.filter(({ type }) => type === 'compaction.requested')).toHaveLength(1);
  });

  it('CL-10: alone in a session there is nothing to compact', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByCommand(lab);
    expect(steps(events)).toEqual(['requested', 'started', 'skipped']);
    expect(events.at(-1)?.data).toMatchObject({ reason: 'nothing_to_compact' });
    expect(model.requests).toEqual([]);
  });
});

describe('the prompt of an automatic one', () => {
  it('CL-73: is the same, word for word, with the same turns left out', async () => {
    const prompts: string[] = [];
    for (const message of ['/compact', 'And now the tests?']) {
      const lab = await openLab({
        auto_compact_token_limit: 3_000,
        transcript_max_tokens: 1_000,
        // Less than the room that the newest message takes from it.
        summary_max_tokens: 400,
      });
      const model = StubModel.of(lab, GOOD);
      const events = await compactByItself(lab, ...turns(15), user(message));
      const trigger = message === '/compact' ? 'manual' : 'auto';
      expect(last(events, 'compaction.requested').data.trigger).toBe(trigger);
      expect(last(events, 'compaction.completed').data.report).toMatchObject({
        template: 'handoff@1',
        truncated_turns: 11,
      });
      prompts.push(model.prompt);
    }
    const [ofCommand, automatic] = prompts;
    expect(automatic).toBe(ofCommand);
    expect(recordOf(automatic ?? '')).toHaveLength(8);
  });
});

describe('the request to the model', () => {
  let server: ScriptedModelServer;
  beforeEach(async () => {
    server = await ScriptedModelServer.start(answer(GOOD));
  });
  afterEach(() => server.close());

  it.each(['anthropic/claude-haiku-4-5', 'openai/gpt-4o-mini'])(
    'CL-08, CL-45: goes to %s without tools, as instructions and one message',
    async (name) => {
      const lab = await openLab();
      const environment = {
        ANTHROPIC_API_KEY: 'k',
        ANTHROPIC_BASE_URL: server.anthropicUrl,
        OPENAI_API_KEY: 'k',
        OPENAI_BASE_URL: server.openaiUrl,
      };
      lab.summarizer = summarizerFromModelName(name, environment);
      await compactByCommand(lab, ...turns(3), ...tool('t', 'Read', 20), ...turns(1));
      expect(server.requests).toHaveLength(1);
      const { tools, system, messages, input } = server.requests[0]?.body ?? {};
      expect(tools).toBeUndefined();
      const sent = [system ?? [], messages ?? input ?? []].flat(2);
      expect(sent).toHaveLength(2);
      const [instructions, conversation] = sent.map((part) => JSON.stringify(part));
      expect(instructions).toContain('You write the summary that stands in for the older part');
      expect(conversation).toContain('<conversation-record>');
      expect(conversation).toContain('Answer 3.');
      // The task comes last.
      expect(conversation?.split('</conversation-record>')[1]).toContain(
        'Another agent takes over',
      );
    },
  );
});

describe('from the command to the summary', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi();
    await send(api, 'POST', '/sessions', { body: { id: 's', profile: 'codex-classic' } });
  });
  afterEach(() => api.close());

  it('CL-07, CL-64: the summary is the compaction, and what stands in the context', async () => {
    const items = [...turns(10), user('/codex-compact')];
    const reply = await send(api, 'POST', '/sessions/s/items', { body: items });
    expect(reply.status).toBe(201);
    const { id } = Object(reply.body.compaction);
    await api.work(api.dispatched.at(-1));
    const { body } = await send(api, 'GET', `/sessions/s/compactions/${id}`);
    expect(body).toMatchObject({ outcome: 'full_compacted', trigger: 'manual' });
    expect(body.summary).toContain('Question 1.');
    expect(body.message).toContain('Question 1.');
    const context = await send(api, 'GET', '/sessions/s/context');
    expect(context.text).toContain(JSON.stringify(body.summary).slice(1, -1));
  });

  it('CL-07: the append is answered with it where it is asked to wait', async () => {
    const items = [...turns(10), user('/compact')];
    const headers = { prefer: 'wait=20' };
    const replied = send(api, 'POST', '/sessions/s/items', { body: items, headers });
    await expect.poll(() => api.dispatched).toHaveLength(1);
    await api.work(api.dispatched.at(-1));
    const { body, headers: answered } = await replied;
    expect(answered.get('preference-applied')).toBe('wait=20');
    expect(body).toMatchObject({ compaction: { status: 'ended' }, note: null });
    expect(body.message).toContain('Question 1.');
  });
});
