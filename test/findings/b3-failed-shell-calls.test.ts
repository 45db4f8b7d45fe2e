import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { ApiServer } from '../support/api-server.ts';
import { providerProblems } from '../support/foreign/context-rules.ts';
import {
  afterCompaction,
  compact,
  contextOf,
  openSession,
  startForLongSessions,
} from '../support/long-sessions.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startForLongSessions();
});
afterAll(() => api.close());

const settings = { format: 'openai-responses', profile: 'default' };
const clearing = {
  ...settings,
  config: { auto_compact_enabled: false, micro_compact_clear_errors: true },
};
const long = 'a line of output\n'.repeat(400);

const asked = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const talk = (): Item[] =>
  Array.from({ length: 3 }, () => [
    asked('Why? '.repeat(900)),
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'So. '.repeat(900) }],
    },
  ]).flat();

let calls = 0;
/** A call of the shell tool as the API gives it, and its output as a client sends it. */
function shell(commands: string[], ...output: Item[]): [Item, Item] {
  calls += 1;
  const call_id = `call_${calls}`;
  const call = {
    id: `sh_${calls}`,
    type: 'shell_call',
    call_id,
    status: 'completed',
    action: { commands, timeout_ms: null, max_output_length: null },
    environment: null,
  };
  return [call, { type: 'shell_call_output', call_id, max_output_length: null, output }];
}
const exit = (stdout: string, exit_code: number): Item => ({
  stdout,
  stderr: '',
  outcome: { type: 'exit', exit_code },
});
const timeout = (stdout: string): Item => ({ stdout, stderr: '', outcome: { type: 'timeout' } });
const searches = (): Item[] =>
  Array.from({ length: 16 }, (_, at) => shell([`grep -rn x${at} src`], exit(long, 0))).flat();
const outputs = (items: readonly Item[]) =>
  items.filter(({ type }) => type === 'shell_call_output');

describe('B3: what failed has failed, in the shell tool of the Responses API', () => {
  it.each([
    ['one exit code', [exit(`3 failed\n${long}`, 1)], [{ type: 'exit', exit_code: 1 }]],
    ['a timeout', [timeout(long)], [{ type: 'timeout' }]],
    [
      'an exit code for each command',
      [exit(long, 0), exit(long, 2)],
      [
        { type: 'exit', exit_code: 0 },
        { type: 'exit', exit_code: 2 },
      ],
    ],
  ])('a cleared result keeps %s', async (_, output, outcomes) => {
    const session = [
      asked('Test.'),
      ...shell(['npm test'], ...output),
      ...searches(),
      asked('On.'),
    ];
    const [first] = outputs(await afterCompaction(api, session, clearing, 'micro'));
    const chunks = first?.output as Item[];
    expect(chunks[0]?.stdout).toContain('[Digest: ');
    expect(chunks.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it.each([
    ['an exit code', exit(`3 tests failed\n${long}`, 1)],
    ['a timeout', timeout(`3 tests failed\n${long}`)],
  ])('a run that ended in %s is among the errors of the summary', async (_, output) => {
    const session = [asked('Fix.'), ...searches(), ...shell(['npm test'], output), asked('On.')];
    const text = JSON.stringify(
      await afterCompaction(api, [...session, ...talk()], { ...settings, context_window: 32_000 }),
    );
    expect(text).toContain('## Errors');
    expect(text).not.toMatch(/npm test\)?,? \(?ok/);
  });

  it('stays a failure in the summary when its text was cleared before', async () => {
    const failed = [
      {
        type: 'function_call',
        call_id: 'c1',
        name: 'shell',
        arguments: '{"command":["npm","test"]}',
      },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: `Exit code: 1\nWall time: 2.1 seconds\nOutput:\n${long}`,
      },
    ];
    const id = await openSession(
      api,
      [asked('Fix.'), ...failed, ...searches(), ...talk()],
      settings,
    );
    await compact(api, id, 'micro');
    await compact(api, id);
    expect(JSON.stringify(await contextOf(api, id))).toContain('## Errors');
  });

  it('a file whose reading failed was not read', async () => {
    const read = shell(['cat src/absent.ts'], exit('cat: src/absent.ts: No such file', 1));
    const session = [asked('Fix.'), ...read, ...searches(), ...talk()];
    const text = JSON.stringify(await afterCompaction(api, session, settings));
    expect(text).not.toMatch(/absent\.ts[^\n]{0,40}read/);
  });

  it.each<[string, Item]>([
    ['shell_call', shell(['make deploy'], exit('', 0))[0]],
    [
      'apply_patch_call',
      {
        type: 'apply_patch_call',
        id: 'apc_1',
        call_id: 'call_p',
        status: 'completed',
        operation: { type: 'delete_file', path: 'a.ts' },
      },
    ],
  ])('a %s without result is not said to have worked', async (_, call) => {
    const items = await contextOf(
      api,
      await openSession(api, [asked('Deploy.'), call, asked('Stop!')], settings),
    );
    const text = JSON.stringify(items);
    expect(text).toContain('No result was recorded');
    expect(text).not.toMatch(/"exit_code":0|"type":"apply_patch_call_output"[^}]*"completed"/);
    expect(providerProblems('openai-responses', items, { isConverted: false })).toEqual([]);
  });

  it.each(['anthropic', 'openai-chat'])('%s is told how a command ended', async (format) => {
    const session = [
      asked('Test.'),
      ...shell(['npm test'], exit('', 7)),
      ...shell(['sleep 900'], timeout('')),
      asked('Well?'),
    ];
    const id = await openSession(api, session, settings);
    const text = JSON.stringify(await contextOf(api, id, `?format=${format}`));
    expect(text).toContain('exit code 7');
    expect(text).toContain('timed out');
    if (format === 'anthropic') expect(text.match(/"is_error":true/g)).toHaveLength(2);
  });
});
