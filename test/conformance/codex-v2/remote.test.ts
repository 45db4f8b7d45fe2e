import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { NewSession } from '../../../src/domain/session/create-session.ts';
import { rolloutWriter } from '../../../src/domain/session/rollout.ts';
import { remoteCompactor } from '../../../src/workers/summarizers/remote/remote-compactor.ts';
import { ofTokens } from '../../support/items.ts';
import { compaction, status } from '../../support/scripted-model/behaviour.ts';
import { opaqueItem } from '../../support/scripted-model/compaction.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, compactByItself, last, StubModel, steps } from '../lab.ts';
import { assistant, GOOD, openLab, shells, TALK_AT_THRESHOLD, user } from './lab.ts';

let provider: ScriptedModelServer;
beforeEach(async () => {
  provider = await ScriptedModelServer.start();
});
afterEach(() => provider.close());

/** A lab that reaches a provider with a compaction of its own, and has a model for summaries too. */
async function remoteLab(
  config: ConfigOverrides = {},
  overrides: Partial<NewSession> = {},
): Promise<{ lab: SessionLab; model: StubModel }> {
  const lab = await openLab(
    { remote_compaction: true, ...config },
    { model: 'gpt-5.4', ...overrides },
  );
  lab.compactRemotely = remoteCompactor({
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: provider.openaiUrl,
  });
  return { lab, model: StubModel.of(lab, GOOD) };
}

const TALK = [user('Fix the parser.'), assistant(ofTokens(150_000))];

describe('should_use_remote_compact', () => {
  it.each<[string, boolean, string | null, string]>([
    ['the flag and the provider', true, 'gpt-5.4', 'remote'],
    ['the provider alone', false, 'gpt-5.4', 'full'],
    ['the flag alone', true, 'claude-sonnet-4-5', 'full'],
    ['neither', false, 'claude-sonnet-4-5', 'full'],
    ['the flag, and no model that tells the provider', true, null, 'full'],
  ])('CV-03, CV-07, CV-185, CV-187: %s', async (_name, remote_compaction, model, mode) => {
    const { lab } = await remoteLab({ remote_compaction }, { model });
    const events = await compactByItself(lab, ...TALK);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    expect(last(events, 'compaction.completed').data.mode).toBe(mode);
    expect(provider.requests).toHaveLength(mode === 'remote' ? 1 : 0);
  });

  it('CV-187: sessions of another format never go there', async () => {
    const { lab } = await remoteLab({}, { format: 'openai-chat' });
    const talk = [
      { role: 'user', content: 'Fix the parser.' },
      { role: 'assistant', content: ofTokens(150_000) },
    ];
    const events = await compactByItself(lab, ...talk);
    expect(last(events, 'compaction.completed').data.mode).toBe('full');
    expect(provider.requests).toEqual([]);
  });

  it('CV-187: the flag is off by default', async () => {
    const lab = await openLab({}, { model: 'gpt-5.4' });
    const { data } = last(await compactByItself(lab, ...TALK), 'compaction.completed');
    expect(data.mode).toBe('full');
  });

  it('CV-185: micro comes first all the same', async () => {
    const { lab } = await remoteLab();
    const results = shells(...Array.from({ length: 10 }, () => 15_000));
    const events = await compactByItself(lab, ...results);
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    expect(provider.requests).toEqual([]);
  });
});

describe('run_remote_compact_task', () => {
  it('CV-03, CV-27: the items of the provider take the place of the history', async () => {
    const { lab, model } = await remoteLab();
    const { data } = last(await compactByItself(lab, ...TALK), 'compaction.completed');
    await append(lab, user('And now?'));
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual(['boundary', 'remote', 'remote', 'log']);
    expect(entries.slice(1).map(({ item }) => item)).toEqual([
      TALK[0],
      opaqueItem('opaque-content-of-2-items'),
      user('And now?'),
    ]);
    expect(data.summary_text).toBe('');
    expect(model.requests).toEqual([]);
    const row = await lab.store.compaction(lab.ref, data.compaction_id);
    expect(row).toMatchObject({ outcome: 'remote_compacted' });
  });

  it('CV-221: the strategy of its report is remote', async () => {
    const { lab } = await remoteLab();
    await compactByItself(lab, ...TALK);
    const records = (await lab.events()).flatMap(rolloutWriter('lab'));
    const completed = records.find(({ payload }) => payload.type === 'CompactCompleted');
    expect(completed?.payload).toMatchObject({ strategy: 'remote' });
  });

  it.each([
    ['refuses', status(400)],
    ['answers nothing that can be used', compaction()],
  ])('CV-189: a provider that %s leaves it to the local one', async (_name, behaviour) => {
    const { lab, model } = await remoteLab();
    provider.script(behaviour);
    const events = await compactByItself(lab, ...TALK);
    expect(steps(events)).toEqual(['requested', 'started', 'failed', 'completed']);
    expect(last(events, 'compaction.completed').data.mode).toBe('full');
    expect(model.requests).toHaveLength(1);
  });

  it('CV-188: by hand it goes there too, unless a full one is asked for', async () => {
    const { lab } = await remoteLab({ auto_compact_enabled: false });
    await append(lab, TALK_AT_THRESHOLD, assistant('Yes.'));
    const { data } = last(await compact(lab, 'full'), 'compaction.completed');
    expect(data.mode).toBe('full');
    expect(provider.requests).toEqual([]);
    for (const mode of ['auto', 'remote'] as const) {
      await append(lab, ...TALK);
      expect(last(await compact(lab, mode), 'compaction.completed').data.mode).toBe('remote');
    }
  });
});
