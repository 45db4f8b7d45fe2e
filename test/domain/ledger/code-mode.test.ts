import { expect, it } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { advanceLedger } from '../../../src/domain/ledger/advance.ts';
import { EMPTY_LEDGER } from '../../../src/domain/ledger/ledger.ts';
import { foldWorkspace } from '../../../src/domain/workspace/known-workspace.ts';

/** A session of Codex whose only tool runs scripts, as its rollouts record it. */

const DONE = 'Script completed\nWall time 0.1 seconds\nOutput:\n';
let calls = 0;

function script(input: string, ...texts: string[]): Item[] {
  const call_id = `call_${++calls}`;
  const output = [DONE, ...texts].map((text) => ({ type: 'input_text', text }));
  return [
    { type: 'custom_tool_call', status: 'completed', call_id, name: 'exec', input },
    { type: 'custom_tool_call_output', call_id, output },
  ];
}

const patched = (...lines: string[]) =>
  script(
    `const patch = ${JSON.stringify(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'))};\ntext(await tools.apply_patch(patch));\n`,
    '{}',
  );
const ran = (cmd: string, fields: object) =>
  script(
    `const r = await tools.exec_command({cmd:${JSON.stringify(cmd)},"workdir":"/work"}); text(JSON.stringify(r))\n`,
    JSON.stringify({ chunk_id: 'c', wall_time_seconds: 1, ...fields }),
  );
const polled = (session: number, output: string) =>
  script(
    `const r = await tools.write_stdin({session_id:${session},chars:""}); text(r.output)`,
    output,
  );

const SESSION: Item[] = [
  { type: 'message', role: 'user', content: 'Add a sum, with a test.' },
  ...script(
    'const p = await tools.update_plan({plan:[{step:"Write it",status:"in_progress"},{step:"Test it",status:"pending"}]}); text(p)',
    '{}',
  ),
  ...patched('*** Add File: src/sum.ts', '+export const sum = (a, b) => a - b;'),
  ...ran('npx vitest run', { session_id: 77, output: 'RUN v4\n' }),
  ...polled(77, ''),
  ...polled(
    77,
    'FAIL test/sum.test.ts > sum\nAssertionError: expected -1 to be 3\nTests  1 failed (1)\n',
  ),
  ...patched(
    '*** Update File: src/sum.ts',
    '@@',
    '-export const sum = (a, b) => a - b;',
    '+export const sum = (a, b) => a + b;',
  ),
  ...ran('npx vitest run', { exit_code: 0, output: 'Tests  1 passed (1)\n' }),
  ...script(
    'if (false) { await tools.apply_patch("*** Begin Patch\\n*** Add File: src/other.ts\\n+x\\n*** End Patch"); }\ntext("skipped")',
    'skipped',
  ),
  ...script(
    'const r = await tools.exec_command({cmd:"npm run e2e:test"}); text(r.output)',
    'started 4 browsers\n',
  ),
  ...script('if (ok) { await tools.exec_command({cmd:"npm run lint"}); }'),
];
const { normalise } = codecFor('openai-responses');
const items = SESSION.map(normalise);
const ledger = advanceLedger(
  EMPTY_LEDGER,
  items.map((item, index) => ({ seq: index + 2, item })),
);

it('has the files that patches in scripts have changed', () => {
  const changed = ledger.files
    .filter(({ edits, is_created }) => edits > 0 || is_created)
    .map(({ path }) => path);
  expect(changed).toContain('src/sum.ts');
  expect(changed).not.toContain('src/other.ts');
});

it('has each run by its command, and what came of it last', () => {
  // Of the second nothing says how it ended, and nobody knows whether there was a third.
  expect(ledger.runs).toMatchObject([
    { command: 'npx vitest run', outcome: 'ok' },
    { command: 'npm run e2e:test', outcome: 'unknown' },
  ]);
  expect(JSON.stringify(ledger.failures)).toContain('expected -1 to be 3');
});

it('counts the tools that were called', () => {
  const counts = Object.fromEntries(ledger.tools.map(({ name, calls: n }) => [name, n]));
  expect(counts).toMatchObject({ exec_command: 3, apply_patch: 2, write_stdin: 2, update_plan: 1 });
  expect(counts.exec).toBeUndefined();
});

it('has the plan', () => {
  expect(JSON.stringify(ledger.plan)).toContain('Test it');
});

it('knows the content of the files', () => {
  const { files } = foldWorkspace(items);
  const sum = files.find(({ path }) => path.endsWith('src/sum.ts'));
  expect(JSON.stringify(sum)).toContain('a + b');
  expect(files.map(({ path }) => path).filter((path) => path.endsWith('other.ts'))).toEqual([]);
});
