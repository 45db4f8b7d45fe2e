import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { summarizerFromModelName } from '../../../src/workers/summarizers/registry.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';
import {
  answer,
  type Behaviour,
  cut,
  empty,
  status,
} from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { append, last, steps } from '../lab.ts';
import { openLab } from './lab.ts';

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(() => server.close());

const TALK = Array.from({ length: 20 }, (_, n) =>
  n % 2 === 0 ? user(ofTokens(5_900)) : assistant(ofTokens(5_900)),
);
/** Clearing them is not enough, so that a model is asked. */
const RESULTS = [1_000, 2_000, 3_000, 100, 100, 2_200].flatMap((size, n) =>
  tool(`r${n}`, 'Read', size),
);

/** A session above its threshold after as many attempts as there are behaviours of the model. */
async function attempted(items: Item[], ...script: Behaviour[]) {
  server.script(...script);
  const lab = await openLab();
  lab.summarizer = summarizerFromModelName('anthropic/claude-haiku-4-5', {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: server.anthropicUrl,
  });
  const { compaction } = await append(lab, ...items);
  if (compaction === null) throw new Error('nothing was requested');
  const before = await lab.view();
  for (const _attempt of script) await lab.work(compaction.id);
  const events = await lab.events();
  const own = events.slice(events.findIndex(({ type }) => type === 'compaction.started'));
  return { lab, own, before, id: compaction.id };
}

const thrice = (behaviour: Behaviour): Behaviour[] => [behaviour, behaviour, behaviour];

describe('when the model fails', () => {
  it.each<[string, string, Behaviour[], string]>([
    ['TI-80', 'an error of the provider', thrice(status(500)), 'api_error'],
    ['TI-80', 'a wrong key', [status(401)], 'api_error'],
    ['TI-81', 'an empty answer', thrice(empty()), 'no_summary'],
    ['TI-81', 'an invalid answer', thrice(answer('API Error: overloaded')), 'api_error'],
    ['TI-82', 'a connection that breaks', thrice(cut('<summary>All', 1)), 'api_error'],
  ])('%s: after %s the result of tier 2 stands', async (_id, _what, script, reason) => {
    const { lab, own, id } = await attempted([...TALK, ...RESULTS], ...script);
    const failures = script.flatMap((_, n) => (n === 0 ? ['failed'] : ['started', 'failed']));
    const end = ['micro_completed', 'threshold_exceeded'];
    expect(steps(own)).toEqual(['started', ...failures, ...end]);
    expect(last(own, 'compaction.failed').data.reason).toBe(reason);
    const { edits } = last(own, 'compaction.micro_completed').data;
    expect(edits.map(({ tool_use_id, kind }) => [tool_use_id, kind])).toEqual([
      ['r0', 'cleared'],
      ['r1', 'cleared'],
      ['r2', 'cleared'],
    ]);
    const row = await lab.store.compaction(lab.ref, id);
    expect(row).toMatchObject({ outcome: 'micro_compacted', attempts: script.length });
    expect((await append(lab, user('Go on.'))).version).toBeGreaterThan(0);
  });

  it('TI-83: with no results to clear it has failed, and nothing has changed', async () => {
    const { lab, own, before, id } = await attempted([...TALK, ...TALK.slice(0, 2)], status(401));
    expect(steps(own)).toEqual(['started', 'failed']);
    expect(last(own, 'compaction.failed').data.will_retry).toBe(false);
    expect((await lab.view()).entries).toEqual(before.entries);
    expect(await lab.store.compaction(lab.ref, id)).toMatchObject({ outcome: 'failed' });
  });
});
