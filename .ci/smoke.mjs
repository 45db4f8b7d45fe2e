// The service as a user runs it: `npm start`, a session that fills its window, one compaction, stop.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-smoke-'));
const env = { ...process.env, PORT: '0', DATABASE_URL: `file:${join(folder, 'smoke.db')}` };
const service = spawn('npm', ['start'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
  // A group of its own: npm does not hand every signal on.
  detached: true,
});
const exited = once(service, 'exit');
try {
  const url = await Promise.race([
    addressOf(service),
    exited.then(([code]) => assert.fail(`npm start ended with ${code}`)),
  ]);
  const post = async (path, body) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer.json();
  };
  await post('/sessions', { id: 'smoke', context_window: 16_000 });
  for (let n = 1; n <= 20; n++) {
    const content = Array.from(
      { length: 120 },
      (_, step) => `night ${n}, step ${step} took a while`,
    );
    await post('/sessions/smoke/items', [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `call_${n}`, name: 'Read', input: { path: `${n}.txt` } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `call_${n}`, content: content.join('\n') }],
      },
    ]);
  }
  const context = await (await fetch(`${url}/sessions/smoke/context?wait=compaction`)).json();
  const { data } = await (await fetch(`${url}/sessions/smoke/compactions`)).json();
  assert.ok(data.length > 0, 'nothing was compacted');
  assert.ok(context.tokens < 14_960, `${context.tokens} tokens after the compaction`);
  process.kill(-service.pid, 'SIGTERM');
  await exited;
  execFileSync(process.execPath, ['dist/cli.js', 'verify'], { env, stdio: 'inherit' });
  console.log(`Node ${process.version}: started, compacted to ${context.tokens} tokens, stopped`);
} finally {
  if (service.exitCode === null && service.signalCode === null)
    process.kill(-service.pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function addressOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (http:\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  return new Promise(() => {});
}
