import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rolloutWriter } from '../../../src/domain/session/rollout.ts';
import { HookServer } from '../../support/hook-server.ts';
import { ofTokens, tool, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, compact, last, StubModel, steps } from '../lab.ts';
import { openLab } from './lab.ts';

const PATH = 'src/parser.ts';
const ITEMS = [user(ofTokens(3_000)), ...tool('t', 'Read', 100, { file_path: PATH })];

let workspace: string;
let hooks: HookServer;
let lab: SessionLab;
let model: StubModel;
beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'palimpsest-steps-'));
  mkdirSync(dirname(join(workspace, PATH)));
  hooks = await HookServer.start();
  lab = await openLab();
  lab.workspaceRoot = workspace;
  model = StubModel.of(lab, summaryAnswer());
});
afterEach(async () => {
  rmSync(workspace, { recursive: true });
  await hooks.close();
});

it('CC-154: what there is to compact is looked at first: without any no hook runs', async () => {
  lab.hooks = [hooks.hook('PreCompact')];
  expect(steps(await compact(lab, 'full'))).toEqual(['requested', 'started', 'skipped']);
  expect(hooks.requests).toEqual([]);
});

it('CC-154, CC-158, CC-184: count, hooks, summary, files, hooks, boundary, telemetry, result', async () => {
  const order: string[] = [];
  const times: string[] = [];
  /** Each step leaves its name in the file, so that the file says when it was read. */
  const pass = (step: string) => {
    order.push(step);
    times.push(lab.now().toISOString());
    writeFileSync(join(workspace, PATH), `left by ${step}`);
  };
  lab.hooks = [
    hooks.hook('PreCompact', [
      (response) => {
        pass('PreCompact');
        // What comes now was not there when the tokens were counted.
        void append(lab, user(ofTokens(500))).then(() => response.writeHead(204).end());
      },
    ]),
    hooks.hook('SessionStart', [
      (response) => {
        pass('SessionStart');
        response.writeHead(204).end();
      },
    ]),
  ];
  const summarize = model.ask.bind(model);
  model.ask = (request) => {
    pass('model');
    return summarize(request);
  };
  const { context } = await append(lab, ...ITEMS);
  const events = await compact(lab, 'full');
  expect(order).toEqual(['PreCompact', 'model', 'SessionStart']);

  const { at, data } = last(events, 'compaction.completed');
  const [boundary, summary, file] = data.entries;
  expect(data.entries.map(({ origin }) => origin)).toEqual(['boundary', 'summary', 'file']);
  expect(boundary?.item.compact_metadata).toMatchObject({ pre_tokens: context.tokens });
  expect(file?.item.attachment).toMatchObject({ path: PATH, content: 'left by model' });
  expect(boundary?.item.timestamp).toBe(at);
  expect(times.every((time) => time < at)).toBe(true);

  const trail = (await lab.events()).flatMap(rolloutWriter('lab')).slice(-3);
  expect(trail.map(({ type, payload }) => payload.type ?? type)).toEqual([
    'compacted',
    'ContextCompacted',
    'CompactCompleted',
  ]);
  const history = [boundary, summary, file].map((entry) => entry?.item);
  expect(trail[0]?.payload.replacement_history).toEqual(history);
  const row = await lab.store.compaction(lab.ref, data.compaction_id);
  expect(row).toMatchObject({ outcome: 'full_compacted', tokens_after: data.report.tokens_after });
});
