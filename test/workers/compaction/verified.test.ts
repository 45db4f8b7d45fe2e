import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore } from '../../../src/app/ports/event-store.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { createSession } from '../../../src/domain/session/create-session.ts';
import type { Decide } from '../../../src/domain/session/decision.ts';
import { compactSession } from '../../../src/workers/compaction/compact-session.ts';
import { extractive } from '../../../src/workers/summarizers/extractive.ts';
import {
  type SummarizerChoice,
  summarizerFromModelName,
} from '../../../src/workers/summarizers/registry.ts';
import { append } from '../../contracts/session-events.ts';
import { attributionOf } from '../../support/event-data.ts';
import { AT, appended, requested, SESSION, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { answer } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { workerDependencies } from '../../support/worker-dependencies.ts';

const REF = { tenant: 'acme', session_id: 's' };
const RULE = 'From now on, always write the comments in British English.';
const TITLE = '## Facts kept verbatim';

let store: EventStore;
let server: ScriptedModelServer;
beforeEach(async () => {
  store = await openTestStore();
  server = await ScriptedModelServer.start();
});
afterEach(async () => {
  await server.close();
  await store.close();
});

async function commit<T>(decide: Decide<T>): Promise<void> {
  const outcome = await store.commit(REF, decide, { at: AT });
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
}

/** Compacts a conversation with a standing instruction; the model always answers the same. */
async function compacted(config: ConfigOverrides, choice?: SummarizerChoice) {
  const overrides = { protected_tokens: 0, summarizer_max_attempts: 1, ...config };
  await commit(createSession(WORLD, { ...SESSION, config: overrides }));
  const request = requested({
    mode: 'full',
    trigger: 'manual',
    reason: 'requested',
    attribution: attributionOf('request'),
  });
  const items = [
    user('Make the parser read the new header of the gateway.'),
    user(RULE),
    ...tool('t', 'Read', 1_500, { file_path: 'src/parser.ts' }),
    assistant(ofTokens(1_500)),
    user('Now look at the footer, too.'),
    assistant(ofTokens(500)),
  ];
  await commit(append(...items.map(appended), request));
  server.script(answer(summaryAnswer('Nothing of it.')));
  const environment = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: server.openaiUrl };
  const model = choice ?? summarizerFromModelName('openai/gpt-4o-mini', environment);
  const worker = workerDependencies({ store, chooseSummarizer: () => model });
  await compactSession(worker)({ ref: REF, compaction_id: 'c' }, new AbortController().signal);
  const events = await store.events(REF, { types: ['compaction.completed', 'compaction.failed'] });
  const completed = events.find((event) => event.type === 'compaction.completed');
  if (completed?.type !== 'compaction.completed') throw new Error('it was not completed');
  const failures = events.flatMap(({ type, data }) =>
    type === 'compaction.failed' && 'message' in data ? [data.message] : [],
  );
  const asked = JSON.stringify(server.requests.map(({ body }) => body));
  return { summary: completed.data.summary_text, report: completed.data.report, failures, asked };
}

describe('a summary of a model', () => {
  it('that forgets a standing instruction gets it back', async () => {
    const { summary, report, failures, asked } = await compacted({});
    expect(failures).toEqual([]);
    expect(report.summarizer).toBe('model');
    expect(summary.slice(summary.indexOf(TITLE))).toContain(`User, standing instruction: ${RULE}`);
    expect(report.retention).toMatchObject({ share: 1, put_back: expect.any(Number) });
    expect(report.retention?.written_share).toBeLessThan(0.9);
    const [constraint] = report.retention?.kinds.filter(({ kind }) => kind === 'constraint') ?? [];
    expect(constraint).toMatchObject({ total: 1, kept: 1, missing: [] });
    expect(asked).toContain('## Must be kept');
    expect(asked.split(RULE)).toHaveLength(3);
  });

  it('that tells of something else gives way to the one from the log', async () => {
    const { report, failures, summary } = await compacted({
      retention_repair_max_tokens: 0,
      retention_reject: 0.8,
    });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(
      /^the answer of openai\/gpt-4o-mini is not a summary: it keeps 0\.[0-7]\d* of the facts that have to be kept, and 0\.8 is the least \(retention_reject\)$/,
    );
    expect(report.summarizer).toBe('extractive');
    expect(summary).toContain(RULE);
    expect(summary).not.toContain(TITLE);
  });

  it.each(['report', 'off'] as const)('stays as it is with %s', async (retention_check) => {
    const { summary, report, failures, asked } = await compacted({
      retention_check,
      retention_reject: 1,
    });
    expect(failures).toEqual([]);
    expect(summary).not.toContain(TITLE);
    expect(summary).not.toContain(RULE);
    expect(asked).not.toContain('## Must be kept');
    if (retention_check === 'off') expect(report.retention).toBeUndefined();
    else {
      expect(report.retention).toMatchObject({ put_back: 0 });
      const own = report.retention?.kinds.find(({ kind }) => kind === 'constraint');
      expect(own).toMatchObject({ kept: 0, missing: [`User, standing instruction: ${RULE}`] });
    }
  });
});

it('a summary from the log is reported on, and not changed', async () => {
  const { summary, report } = await compacted(
    { retention_min: 1, retention_reject: 1 },
    extractive,
  );
  expect(summary).not.toContain(TITLE);
  const own = report.retention?.kinds.find(({ kind }) => kind === 'constraint');
  expect(own).toMatchObject({ total: 1, kept: 1 });
});
