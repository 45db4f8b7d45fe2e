import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderEntries } from '../../../src/domain/context/render.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { rolloutWriter } from '../../../src/domain/session/rollout.ts';
import { remoteCompactor } from '../../../src/workers/summarizers/remote/remote-compactor.ts';
import { ofTokens } from '../../support/items.ts';
import { type Behaviour, compaction } from '../../support/scripted-model/behaviour.ts';
import { opaqueItem } from '../../support/scripted-model/compaction.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { call, message } from '../../workers/summarizers/remote/remote-lab.ts';
import { append, last, StubModel, steps } from '../lab.ts';
import { GOOD, openLab, signal, work } from './lab.ts';

const USER = message('user', 'Fix the parser.');
const TALK: Item[] = [USER, message('assistant', `It is done. ${ofTokens(40_000)}`)];
const OPAQUE = opaqueItem();

let provider: ScriptedModelServer;
beforeEach(async () => {
  provider = await ScriptedModelServer.start();
});
afterEach(() => provider.close());

/** A session that the provider can compact, in the middle of its first turn. */
async function open(config: ConfigOverrides = {}, model = 'gpt-5.4') {
  const lab = await openLab(
    { remote_compaction: true, ...config },
    { format: 'openai-responses', model },
  );
  lab.compactRemotely = remoteCompactor({
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: provider.openaiUrl,
  });
  const local = StubModel.of(lab, GOOD);
  await append(lab, ...TALK);
  return { lab, local };
}

/** The compaction in the middle of the turn. */
async function compact(lab: SessionLab) {
  await signal(lab, 'sampling_complete', { needs_follow_up: true });
  return work(lab);
}

async function context(lab: SessionLab): Promise<Item[]> {
  const { entries } = await lab.view();
  return renderEntries(entries, 'openai-responses', 'openai-responses');
}

describe('the remote compaction', () => {
  it.each([
    ['gpt-5.4', true, 'remote'],
    ['gpt-5.4', false, 'full'],
    ['claude-sonnet-5', true, 'full'],
  ] as const)(
    'RW-110: model %s, remote_compaction %s: %s',
    async (model, remote_compaction, mode) => {
      const { lab, local } = await open({ remote_compaction }, model);
      expect(last(await compact(lab), 'compaction.completed').data.mode).toBe(mode);
      expect(provider.requests).toHaveLength(mode === 'remote' ? 1 : 0);
      expect(local.requests).toHaveLength(mode === 'remote' ? 0 : 1);
    },
  );

  it('RW-111, RW-112: the provider rewrites the history, the tokens are counted anew', async () => {
    const { lab } = await open();
    const tokens = (await lab.head()).state.tokens;
    const { report } = last(await compact(lab), 'compaction.completed').data;
    expect(provider.requests[0]?.path).toBe('/v1/responses/compact');
    expect(provider.requests[0]?.body.input).toEqual(TALK);
    expect(await context(lab)).toEqual([USER, opaqueItem('opaque-content-of-2-items')]);
    const { state } = await lab.head();
    expect(report).toMatchObject({ tokens_before: tokens, tokens_after: state.tokens });
    expect(state.tokens).toBeLessThan(100);
  });

  it('RW-113: the record has the replacement and an empty message', async () => {
    const { lab } = await open();
    await compact(lab);
    const events = await lab.events();
    expect(last(events, 'compaction.completed').data.summary_text).toBe('');
    const record = events.flatMap(rolloutWriter('lab')).find(({ type }) => type === 'compacted');
    expect(record?.payload).toMatchObject({
      message: '',
      replacement_history: expect.arrayContaining([USER]),
    });
  });

  it('RW-132: its record has the cause, as that of a local one', async () => {
    const { lab } = await open();
    await compact(lab);
    const records = (await lab.events()).flatMap(rolloutWriter('lab'));
    expect(records.find(({ type }) => type === 'compacted')?.payload.trigger).toMatchObject({
      type: 'auto_watcher',
      path: 'mid_turn',
    });
  });

  it.each<[string, Behaviour, RegExp]>([
    ['no compaction item', compaction(), /0 compaction items/],
    ['two of them', compaction(OPAQUE, OPAQUE), /2 compaction items/],
    ['an output without its call', compaction(...call('x', 'y').slice(1), OPAQUE), /refuse/],
    ['more than before', compaction(message('user', ofTokens(50_000)), OPAQUE), /smaller/],
  ])('RW-114: %s: not taken, the local one takes over', async (_case, behaviour, why) => {
    const { lab, local } = await open();
    provider.script(behaviour);
    const events = await compact(lab);
    expect(steps(events)).toEqual(['requested', 'started', 'failed', 'completed']);
    expect(last(events, 'compaction.failed').data).toMatchObject({
      reason: 'api_error',
      message: expect.stringMatching(why),
    });
    expect(last(events, 'compaction.completed').data.mode).toBe('full');
    expect(local.requests).toHaveLength(1);
  });

  it('RW-114: where nothing takes over, the context stays as it was', async () => {
    const { lab } = await open({ summarizer_fallback: [] });
    lab.summarizer = { kind: 'unusable', message: 'no model' };
    provider.script(compaction());
    const before = await context(lab);
    expect(steps(await compact(lab)).at(-1)).toBe('failed');
    expect(await context(lab)).toEqual(before);
  });
});

describe('who controls the prompt', () => {
  it('RW-116, RW-117: the provider is sent no prompt of ours; the local model is', async () => {
    const { lab } = await open();
    await compact(lab);
    expect(provider.requests[0]?.body).toEqual({ model: 'gpt-5.4', input: TALK });
    const { lab: other, local } = await open({ remote_compaction: false });
    await compact(other);
    expect(local.prompt).toContain('Primary request and intent');
  });

  it('RW-116: instructions of a request go along in the field that the API has for them', async () => {
    const { lab } = await open();
    const requested = await lab.request('remote', { instructions: 'Keep the file names.' });
    if (!requested.ok) throw new Error(requested.rejection.detail);
    await lab.work(requested.value.id);
    expect(provider.requests[0]?.body.instructions).toBe('Keep the file names.');
  });

  it('RW-117: the local one is what the profile does unless told otherwise', async () => {
    expect(profileConfig('rawr', 200_000).remote_compaction).toBe(false);
    const { lab } = await open({ remote_compaction: undefined });
    expect(last(await compact(lab), 'compaction.completed').data.mode).toBe('full');
    expect(provider.requests).toEqual([]);
  });
});
