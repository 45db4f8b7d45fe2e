import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_FOLDER, dataFiles, isDataPresent } from '../../bench/transcripts/data-files.ts';
import { batches } from '../../src/app/import-batches.ts';
import { loadView } from '../../src/app/load-view.ts';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import type { Transcript } from '../../src/importers/transcript.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { ReplayedFiles } from '../support/replayed-files.ts';
import { atScale } from '../support/scale.ts';

/** Compactions of one session, each after the next part of its items. */
const ROUNDS = 3;
const NEVER_A_FILE =
  /^(?:<tool_use_error>|Error: |cat: |sed: |nl: |File does not exist|The user doesn't want|\[Old tool result|Chunk ID: )/;

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

type Kept = { origin: string; path: string; content: unknown; lines: JsonObject | null };

async function restored(id: string): Promise<Kept[]> {
  const view = await loadView(api.deps.store, { tenant: 'local', session_id: id });
  if (view === null) throw new Error('no such session');
  return view.entries.flatMap(({ origin, item }) => {
    const { attachment } = item;
    if (!['file', 'todo', 'plan'].includes(origin) || !isJsonObject(attachment)) return [];
    const lines = isJsonObject(attachment.known_lines) ? attachment.known_lines : null;
    return [{ origin, path: String(attachment.path), content: attachment.content, lines }];
  });
}

/** Appends a transcript part by part, compacts after each, and hands over what was put back. */
async function through(
  transcript: Transcript,
  settings: { id: string; profile: string; context_window: number },
  check: (kept: Kept[], files: ReplayedFiles) => void,
): Promise<void> {
  const { format, items } = transcript;
  const config = {
    auto_compact_enabled: false,
    protected_tokens: null,
    min_new_tokens_between_compactions: 0,
  };
  const body = { ...settings, format, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  const files = new ReplayedFiles();
  const { id } = settings;
  for (let round = 0; round < ROUNDS; round++) {
    const part = items.slice(
      Math.floor((items.length * round) / ROUNDS),
      Math.floor((items.length * (round + 1)) / ROUNDS),
    );
    for (const batch of batches({ items: part, format })) {
      const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: batch });
      expect(reply.status).toBe(201);
    }
    const reply = await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
    expect(reply.status).toBe(202);
    await api.work(api.dispatched.at(-1));
    const { body: done } = await send(api, 'GET', `/sessions/${id}/compactions/${reply.body.id}`);
    expect(done.outcome).toBe('full_compacted');
    // A change after the cut counts: what is put back is as it is now.
    const replay = new ReplayedFiles();
    for (const item of items.slice(0, Math.floor((items.length * (round + 1)) / ROUNDS))) {
      replay.add(item);
    }
    check(await restored(id), replay);
  }
  expect(files.whole.size).toBe(0);
}

function checkFiles(kept: readonly Kept[], replayed: ReplayedFiles): number {
  const files = kept.filter(({ origin }) => origin === 'file');
  for (const { path, content, lines } of files) {
    const text = String(content);
    expect(text, path).not.toMatch(NEVER_A_FILE);
    expect(text.endsWith('</system-reminder>\n'), path).toBe(false);
    const whole = replayed.whole.get(path);
    if (lines === null) {
      expect(text, path).not.toContain('tokens left out …]');
      if (whole !== undefined) expect(text.trimEnd(), path).toBe(whole.trimEnd());
      continue;
    }
    // Every line that is said to be known is that of the file; anything else is said beside it.
    expect(text, path).toMatch(
      /^\[(?:lines? \d|may have changed since: )|\n\[… about \d+ tokens left out …\]\n/,
    );
    if (whole === undefined || lines.changed_by !== null) continue;
    const [shown, all] = [text.split('\n'), whole.split('\n')];
    for (const part of Array.isArray(lines.parts) ? lines.parts : []) {
      if (!isJsonObject(part)) continue;
      const [at, from, to] = [Number(part.at), Number(part.from), Number(part.to)];
      const known = shown.slice(at, at + to - from + 1);
      expect(known.join('\n').trimEnd(), path).toBe(
        all
          .slice(from - 1, to)
          .join('\n')
          .trimEnd(),
      );
    }
  }
  return files.length;
}

function transcriptOf(file: string): Transcript {
  const [transcript] = readTranscripts(file, readFileSync(join(DATA_FOLDER, file)));
  if (transcript === undefined) throw new Error(`${file} holds no conversation`);
  return transcript;
}

const isPresent = isDataPresent();
type Run = { file: string; profile: string; window: number };
const runs = (paths: string[], profile: string, window: number): Run[] =>
  isPresent ? dataFiles(paths).map((file) => ({ file, profile, window })) : [];
const RUNS = [
  ...runs(['codex/'], 'codex-v2', 200_000),
  ...runs(['claude-code/'], 'claude-code', 200_000),
  ...runs(['cx-07', 'cc-06'], 'default', 32_000),
  ...runs(['cx-05', 'cc-05'], 'codex-v2', 32_000),
  ...runs(['cc-08'], 'default', 100_000),
  ...runs(['pi/', 'copilot-cli/'], 'default', 100_000),
  ...runs(['gemini-cli/', 'swea-01', 'mini-01'], 'codex-v2', 32_000),
];

/** In brief every third one: each profile and window keeps some. */
const EVERY = atScale({ brief: 3, short: 1, long: 1 });

describe('B2: a restored file has the newest content that the log knows of it', () => {
  it(isPresent ? 'recordings are there' : 'RECORDINGS ARE ABSENT: none is checked', () => {
    if (!isPresent) console.warn(`No recorded transcripts at ${DATA_FOLDER}.`);
    expect(RUNS.length > 0).toBe(isPresent);
  });

  it.each(RUNS.filter((_, index) => index % EVERY === 0))(
    'in $file with $profile and $window tokens, over three compactions',
    async ({ file, profile, window }) => {
      let count = 0;
      let rounds = 0;
      const id = `b2-${profile}-${window}-${file.replaceAll(/\W/g, '-')}`;
      await through(
        transcriptOf(file),
        { id, profile, context_window: window },
        (kept, replayed) => {
          rounds++;
          count += checkFiles(kept, replayed);
          const todo = kept.find(({ origin }) => origin === 'todo');
          if (Array.isArray(replayed.todos) && replayed.todos.length > 0) {
            expect(todo?.content).toEqual(replayed.todos);
          }
          const statuses = replayed.taskStatuses();
          if (statuses.length === 0) return;
          const listed = Array.isArray(todo?.content) ? todo.content : [];
          const own = listed.map((task) => isJsonObject(task) && task.status);
          expect(own).toEqual(statuses);
        },
      );
      expect(rounds).toBe(ROUNDS);
      expect(count).toBeGreaterThanOrEqual(ROUNDS);
    },
  );

  it('and what was put back is not counted as read again by the summaries that follow', async () => {
    const body = { id: 'counts', format: 'anthropic', profile: 'claude-code' };
    await send(api, 'POST', '/sessions', { body });
    const talk = { role: 'assistant', content: 'abc '.repeat(3_000) };
    const read = [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'r', name: 'Read', input: { file_path: '/w/once.ts' } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'r', content: '     1→let a = 1;\n     2→' }],
      },
    ];
    for (let round = 0; round < 4; round++) {
      const items = [{ role: 'user', content: `Go on, ${round}.` }, talk, ...(round ? [] : read)];
      await send(api, 'POST', '/sessions/counts/items', { body: items });
      await send(api, 'POST', '/sessions/counts/compact', { body: { mode: 'full' } });
      await api.work(api.dispatched.at(-1));
    }
    const { text } = await send(api, 'GET', '/sessions/counts/context');
    expect(text).toContain('let a = 1;');
    expect(text).toMatch(/once\.ts: read(?! \d+×)/);
  });
});
