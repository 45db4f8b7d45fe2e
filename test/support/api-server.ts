import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { z } from 'zod';
import type { AppDependencies } from '../../src/api/app-dependencies.ts';
import { createApp } from '../../src/api/create-app.ts';
import { Recordings } from '../../src/app/gateway/recordings.ts';
import { KnownBodies } from '../../src/app/known-bodies.ts';
import type { SessionRef } from '../../src/app/ports/event-store.ts';
import { Indexer } from '../../src/app/search/indexer.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { DEFAULT_PRICES } from '../../src/domain/policy/prices.ts';
import type { TokenizerName } from '../../src/domain/tokens/tokenizers.ts';
import { readImported } from '../../src/read-imported.ts';
import { compactSession } from '../../src/workers/compaction/compact-session.ts';
import { summarizeNow } from '../../src/workers/summarize-now.ts';
import { extractive } from '../../src/workers/summarizers/extractive.ts';
import type { SummarizerChoice } from '../../src/workers/summarizers/registry.ts';
import { loadTemplates } from '../../src/workers/templates.ts';
import { openTestStore } from './open-test-store.ts';
import { unobserved } from './unobserved.ts';
import { workerDependencies } from './worker-dependencies.ts';

/** A small window in which a few long items are enough for a compaction. */
export const SMALL_WINDOW = 16_000;

type Job = { ref: SessionRef; compaction_id: string };

export type ApiServer = {
  url: string;
  deps: AppDependencies;
  /** What was handed to the workers, oldest first; nothing runs by itself. */
  dispatched: Job[];
  cancelled: string[];
  /** Sessions whose wait for a packet was to be ended. */
  awaited: { ref: SessionRef; deadline_ms: number }[];
  /** What was logged as error. */
  logged: { fields: object; message: string }[];
  /** Moves the clock, milliseconds. */
  advance: (ms: number) => void;
  /** Runs the job of a compaction. */
  work: (job: Job | undefined) => Promise<void>;
  close: () => Promise<void>;
};

/**
 * The API on a free port, over an empty store and with a clock that only moves by hand. `summarizer`
 * is who writes the summaries of the jobs that `work` runs.
 */
export async function startApi(
  overrides: Partial<AppDependencies> = {},
  summarizer: SummarizerChoice = extractive,
): Promise<ApiServer> {
  const store = overrides.store ?? (await openTestStore());
  const dispatched: Job[] = [];
  const cancelled: string[] = [];
  const awaited: ApiServer['awaited'] = [];
  const logged: { fields: object; message: string }[] = [];
  let nowMs = Date.parse('2026-01-02T03:04:05.000Z');
  let ids = 0;
  const tokenizers: { [N in TokenizerName]?: (text: string) => number } = {};
  const deps: AppDependencies = {
    store,
    indexer: new Indexer(store, () => {}),
    world: { server: {}, tokenizers },
    prices: DEFAULT_PRICES,
    dispatch: (job) => dispatched.push(job),
    awaitPacket: (ref, deadline_ms) => awaited.push({ ref, deadline_ms }),
    packetPrompt: loadTemplates().packet,
    cancelJob: (id) => cancelled.push(id),
    clock: { now: () => new Date(nowMs) },
    newId: () => {
      ids += 1;
      return `019b7c00-0000-7000-8000-${String(ids).padStart(12, '0')}`;
    },
    keys: [],
    hasInspector: true,
    readTranscripts: readImported,
    limits: {
      body_bytes: 1_000_000,
      items_per_request: 100,
      json_depth: 64,
      json_values: 400_000,
      rate_per_minute_per_key: null,
    },
    contextWindowOf: (model) => (model === 'known-model' ? 64_000 : null),
    loadTokenizer: async (name) => {
      tokenizers[name] = (text) => text.length;
    },
    summarize: summarizeNow({
      templates: loadTemplates(),
      chooseSummarizer: () => extractive,
      now: () => new Date(nowMs),
      random: () => 0,
      observe: unobserved,
      onFailure: () => {},
    }),
    compactionSecret: null,
    // Nobody listens there: a test that uses the gateway names its own.
    gateway: {
      upstreams: { anthropic: 'http://127.0.0.1:9', openai: 'http://127.0.0.1:9' },
      wait_seconds: 5,
    },
    storedSecret: null,
    knownBodies: new KnownBodies(),
    mcpOtherSessions: false,
    modelRefusal: () => null,
    probes: { store: () => store.ping(), queue: async () => {} },
    dashboard: { jobs: null, operatorKey: null },
    recordings: new Recordings(),
    onTurn: () => {},
    metrics: { page: async () => ({ type: 'text/plain', text: 'up 1\n' }) },
    version: '0.0.0-test',
    log: { error: (fields, message) => logged.push({ fields, message }) },
    ...overrides,
  };
  const worker = workerDependencies({
    store,
    world: deps.world,
    chooseSummarizer: () => summarizer,
    now: () => new Date(nowMs),
    newId: deps.newId,
    dispatch: deps.dispatch,
  });
  const app = createApp(deps);
  const server = serve({
    fetch: (request, bindings) => app.fetch(request, bindings),
    port: 0,
    hostname: '127.0.0.1',
    // A test that works for seconds between two requests must not find its connection closed.
    serverOptions: { keepAliveTimeout: 60_000 },
  });
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    deps,
    dispatched,
    cancelled,
    awaited,
    logged,
    advance: (ms) => {
      nowMs += ms;
    },
    work: async (job) => {
      if (job === undefined) throw new Error('there is no job to run');
      await compactSession(worker)(job, new AbortController().signal);
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
      await store.close();
    },
  };
}

const jsonObject = z.record(z.string(), z.json());

export type ApiReply = { status: number; headers: Headers; text: string; body: JsonObject };

/** One request; a body that is no string is sent as JSON. */
export async function send(
  api: Pick<ApiServer, 'url'>,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<ApiReply> {
  const { body, headers = {} } = options;
  const response = await fetch(api.url + path, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
  const parsed = isJson && text !== '' ? jsonObject.parse(JSON.parse(text)) : {};
  return { status: response.status, headers: response.headers, text, body: parsed };
}
