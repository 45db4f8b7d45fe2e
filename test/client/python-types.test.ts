import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readText } from '../house/sources.ts';
import { debianProgram } from '../support/servers/debian-program.ts';

/** The types of clients/python/palimpsest.py, as mypy reads them. */

let mypy = '';
let folder = '';
beforeAll(async () => {
  mypy = await debianProgram({
    variable: 'TEST_MYPY',
    names: ['mypy'],
    apt: 'mypy',
    need: 'the types of the client in Python need mypy',
  });
  console.log(`mypy for the tests: ${mypy}`);
}, 300_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-mypy-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What it says of a program beside a copy of the client, its own errors in short. */
async function said(code: string): Promise<string[]> {
  writeFileSync(join(folder, 'palimpsest.py'), readText('clients/python/palimpsest.py'));
  writeFileSync(join(folder, 'agent.py'), code);
  const args = ['--strict', '--no-incremental', '--no-error-summary', '--config-file='];
  const run = promisify(execFile)(mypy, [...args, 'palimpsest.py', 'agent.py'], { cwd: folder });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return stdout.split('\n').filter((line) => line !== '');
}

test('the client and the example of its page pass mypy --strict', async () => {
  const [, example = ''] = /^```python\n(.*?)^```$/ms.exec(readText('docs/client.md')) ?? [];
  expect(example).toContain('Palimpsest(');
  expect(await said(example)).toEqual([]);
});

test('what a program gets wrong is told where it stands', async () => {
  const wrong = await said(`from palimpsest import Palimpsest, ProblemError

service = Palimpsest(url=8787)
service.append("chat-7", "no list")
for event in service.follow("chat-7"):
    event.version
try:
    service.sync("chat-7", [])["context"]
except ProblemError as error:
    error.code + error.status
`);
  expect(wrong).toEqual([
    expect.stringMatching(/^agent.py:3: error: .*"url".*"int"; expected "str"/),
    expect.stringMatching(/^agent.py:4: error: .*"append".*"str"; expected "Sequence/),
    expect.stringMatching(/^agent.py:6: error: "Dict.*no attribute "version"/i),
    expect.stringMatching(/^agent.py:10: error: .*operand types for \+ \("str" and "int"\)/),
  ]);
});
