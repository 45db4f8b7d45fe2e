import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore } from '../../../src/app/ports/event-store.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { requestCompaction } from '../../../src/domain/session/compaction-commands.ts';
import { createSession } from '../../../src/domain/session/create-session.ts';
import type { Decide } from '../../../src/domain/session/decision.ts';
import { asksModel } from '../../../src/workers/compaction/asks-model.ts';
import { compactSession } from '../../../src/workers/compaction/compact-session.ts';
import type { WorkerDependencies } from '../../../src/workers/compaction/dependencies.ts';
import { InProcessEngine } from '../../../src/workers/engines/in-process-engine.ts';
import { extractive } from '../../../src/workers/summarizers/extractive.ts';
import { summarizerFromModelName } from '../../../src/workers/summarizers/registry.ts';
import { append } from '../../contracts/session-events.ts';
import { until } from '../../support/cluster/until.ts';
import { AT, appended, SESSION, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { answer, gate, slow } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { workerDependencies } from '../../support/worker-dependencies.ts';

const SMALL: Item[] = [user('Go.'), ...tool('t', 'Read', 4_000), assistant(ofTokens(300))];

let store: EventStore;
let server: ScriptedModelServer;
let engines: InProcessEngine[];
beforeEach(async () => {
  store = await openTestStore();
  server = await ScriptedModelServer.start();
  engines = [];
});
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop(0)));
  await server.close();
  await store.close();
});

const refOf = (session_id: string) => ({ tenant: 'acme', session_id });
const jobOf = (id: string) => ({ ref: refOf(id), compaction_id: id });

async function commit<T>(id: string, decide: Decide<T>): Promise<void> {
  const outcome = await store.commit(refOf(id), decide, { at: AT });
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
}

/** A session with one result that clearing could take, and a compaction that was asked for. */
async function requested(
  id: string,
  asked: { mode?: 'auto' | 'full' | 'micro'; trigger?: 'manual' | 'tool'; focus?: string } = {},
): Promise<void> {
  const config = {
    micro_compact_min_tokens_to_save: 100,
    micro_compact_keep_last_n_tools: 0,
    micro_compact_target_tokens: 0,
    protected_tokens: 0,
    tool_compact_min_tokens: 0,
  };
  await commit(id, createSession(WORLD, { ...SESSION, config }));
  await commit(id, append(...SMALL.map(appended)));
  const request = { mode: 'auto', trigger: 'manual', ...asked } as const;
  await commit(id, requestCompaction(WORLD, { compaction_id: id, ...request }));
}

function worker(overrides: Partial<WorkerDependencies> = {}): WorkerDependencies {
  const environment = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: server.openaiUrl };
  const model = summarizerFromModelName('openai/gpt-4o-mini', environment);
  return workerDependencies({ store, chooseSummarizer: () => model, ...overrides });
}

/** An engine with a worker, as a process that works has one. */
function engineOf(overrides: Partial<WorkerDependencies> = {}): InProcessEngine {
  const deps = worker(overrides);
  const onError = (error: unknown) => {
    throw error;
  };
  const engine = new InProcessEngine({ concurrency: 1, onError });
  engine.start(compactSession(deps), asksModel(deps));
  engines.push(engine);
  return engine;
}

async function steps(id: string): Promise<string[]> {
  const events = await store.events(refOf(id), {});
  return events.flatMap(({ type, data }) => {
    if (!type.startsWith('compaction.') || type === 'compaction.requested') return [];
    return [`${type.replace('compaction.', '')}${'attempt' in data ? ` ${data.attempt}` : ''}`];
  });
}

describe('looking ahead at a job', () => {
  it('is not done where there is a slot: planning belongs to an attempt whose start is in the log', async () => {
    await requested('s', { mode: 'full' });
    let plannings = 0;
    for (let life = 1; life <= 20; life++) {
      // The process ends here: nothing that would come later ever does.
      const prepare = () => new Promise<void>(() => void plannings++);
      void compactSession(worker({ prepare }))(jobOf('s'), new AbortController().signal);
      await until('it is planned', () => plannings === life);
    }
    await engineOf({ prepare: async () => void plannings++ }).enqueue(jobOf('s'));
    await until('it has ended', async () => (await steps('s')).includes('failed 21'));
    expect(plannings).toBe(20);
    expect((await store.head(refOf('s')))?.state.running).toBeNull();
  });

  it('lets those wait that ask a model, and begins no attempt of theirs', async () => {
    const answered = gate();
    server.script(slow(summaryAnswer(), answered.promise), answer(summaryAnswer()));
    for (const id of ['first', 'second', 'third']) await requested(id, { mode: 'full' });
    await requested('clears', { mode: 'auto' });
    let looked = 0;
    const engine = engineOf({ prepare: async () => void looked++ });
    await engine.enqueue(jobOf('first'));
    await server.received(1);
    await engine.enqueue(jobOf('second'));
    await engine.enqueue(jobOf('third'));
    await engine.enqueue(jobOf('clears'));
    await until('who needs no model has ended', async () =>
      (await steps('clears')).includes('micro_completed'),
    );
    await until('all were looked at', () => looked >= 4);
    expect([...(await steps('second')), ...(await steps('third'))]).toEqual([]);
    answered.open();
    const hasEnded = async (id: string) => (await steps(id)).includes('completed');
    await until('all have ended', async () => (await hasEnded('second')) && hasEnded('third'));
    expect(await steps('second')).toEqual(['started 1', 'completed']);
    expect(await steps('third')).toEqual(['started 1', 'completed']);
  });

  it('plans with the focus that was asked for: a summary has to dwell on it', async () => {
    await requested('plain', { trigger: 'tool' });
    await requested('focused', { trigger: 'tool', focus: 'the parser' });
    const look = asksModel(worker());
    expect(await look(jobOf('plain'))).toBe(false);
    expect(await look(jobOf('focused'))).toBe(true);
  });

  it('says no where there is nothing to ask', async () => {
    await requested('micro', { mode: 'micro' });
    await requested('extractive', { mode: 'full' });
    expect(await asksModel(worker())(jobOf('micro'))).toBe(false);
    expect(await asksModel(worker())(jobOf('unknown'))).toBe(false);
    const chooseSummarizer = () => extractive;
    expect(await asksModel(worker({ chooseSummarizer }))(jobOf('extractive'))).toBe(false);
  });
});
