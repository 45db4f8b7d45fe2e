import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

/**
 * Codex writes the tools of most of its models, and its instructions, at the head of the history, anew with
 * each request.
 */

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
  lab.provider.script = () => ({ text: 'I have looked.' });
});
afterEach(() => lab.close());

const tools = (...names: string[]) => ({
  type: 'additional_tools',
  id: `at_${names.join('_')}`,
  role: 'developer',
  tools: [
    {
      type: 'namespace',
      name: 'functions',
      tools: names.map((name) => ({ type: 'custom', name })),
    },
  ],
});
const HEAD = [
  { role: 'developer', content: 'You are a coding agent.' },
  { role: 'user', content: 'Read the logs and tell me why the nightly build fails.' },
];
const read = (index: number) => [
  {
    type: 'custom_tool_call',
    id: `ctc_${index}`,
    call_id: `call_${index}`,
    namespace: 'functions',
    name: 'exec',
    input: `text(await tools.exec_command({ cmd: "cat ${index}.log" }))`,
  },
  { type: 'custom_tool_call_output', call_id: `call_${index}`, output: logOf(`${index}.log`) },
];

/** Requests of a task whose history outgrows its window; answers the session of the last one. */
async function work(from: number, to: number, own: Item): Promise<string> {
  let session = '';
  const named = { 'thread-id': 'codex', 'x-palimpsest-context-window': '20000' };
  for (let calls = from; calls <= to; calls++) {
    const history = Array.from({ length: calls }, (_, step) => read(step)).flat();
    const body = { model: 'gpt-5.6', store: false, input: [own, ...HEAD, ...history] };
    const answer = await lab.post('/v1/responses', body, named);
    expect(answer.status, answer.text).toBe(200);
    session = answer.session;
  }
  return session;
}
const given = () => lab.provider.turns.map(({ history }) => history.filter(isGiven));
const isGiven = ({ type }: Item) => type === 'additional_tools';

it('keeps them through compactions', async () => {
  const session = await work(1, 12, tools('exec'));
  const compactions = await fetch(`${lab.url}/sessions/${session}/compactions`);
  expect(await compactions.text()).toContain('full_compacted');
  expect(given()).toEqual(Array.from({ length: 12 }, () => [tools('exec')]));
  expect(lab.provider.invalid).toEqual([]);
});

it('sends those that the client gives now, in the same session', async () => {
  const session = await work(1, 10, tools('exec'));
  expect(await work(11, 12, tools('exec', 'wait'))).toBe(session);
  expect(given().slice(-2)).toEqual([[tools('exec', 'wait')], [tools('exec', 'wait')]]);
  const begun = lab.provider.turns.at(-1)?.history[0];
  expect(begun).toEqual(tools('exec', 'wait'));
});

it('sends them once behind a compaction that the client has asked for', async () => {
  await work(1, 3, tools('exec'));
  const history = Array.from({ length: 4 }, (_, step) => read(step)).flat();
  const asked = await lab.post(
    '/v1/responses',
    {
      model: 'gpt-5.6',
      store: false,
      input: [tools('exec'), ...HEAD, ...history, { type: 'compaction_trigger' }],
    },
    { 'thread-id': 'codex' },
  );
  const [encrypted_content = ''] = /pal1\.[\w-]+/.exec(asked.text) ?? [];
  const input = [
    tools('exec', 'wait'),
    ...HEAD,
    { type: 'compaction', encrypted_content },
    { role: 'user', content: 'Go on.' },
  ];
  const body = { model: 'gpt-5.6', store: false, input };
  const answer = await lab.post('/v1/responses', body, { 'thread-id': 'codex' });
  expect(answer.status, answer.text).toBe(200);
  expect(given().at(-1)).toEqual([tools('exec', 'wait')]);
});
