import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const message = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const HEAD = [
  message('developer', 'You are a coding agent.'),
  message('user', '<environment_context>\n  <cwd>/home/user/project</cwd>\n</environment_context>'),
];
const HISTORY = [
  ...HEAD,
  message('user', 'Read the logs and tell me why the nightly build fails.'),
  ...Array.from({ length: 6 }, (_, index) => [
    {
      type: 'function_call',
      id: `fc_${index}`,
      call_id: `call_${index}`,
      name: 'exec_command',
      arguments: `{"cmd":"cat ${index}.log"}`,
    },
    { type: 'function_call_output', call_id: `call_${index}`, output: logOf(`${index}.log`) },
  ]).flat(),
];
const NAME = { 'thread-id': 'codex' };

it.each([true, false])(
  'answers a compaction trigger with exactly one item (stream: %s)',
  async (stream) => {
    const input = [...HISTORY, { type: 'compaction_trigger' }];
    const asked = await lab.post(
      '/v1/responses',
      { model: 'gpt-5.4', store: false, stream, input },
      NAME,
    );
    expect(asked.status).toBe(200);
    expect(lab.provider.received).toEqual([]);
    const contents = asked.text.match(/pal1\.[\w-]+/g) ?? [];
    expect(new Set(contents).size).toBe(1);
    expect(asked.text).toContain(stream ? 'event: response.completed' : '"status":"completed"');
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: contents[0] };
    const user = message('user', 'Read the logs and tell me why the nightly build fails.');
    const next = [...HEAD, user, compaction, message('user', 'Go on.')];
    const answer = await lab.post(
      '/v1/responses',
      { model: 'gpt-5.4', store: false, input: next },
      NAME,
    );
    expect(answer.status, answer.text).toBe(200);
    const sent = lab.provider.received[0];
    const text = JSON.stringify(sent?.history);
    expect(text).not.toContain('pal1.');
    expect(text).toContain('exec_command');
    expect(text.split('You are a coding agent.')).toHaveLength(2);
    expect(text.split('/home/user/project</cwd>')).toHaveLength(2);
    expect(text.length).toBeLessThan(JSON.stringify(HISTORY).length / 2);
    expect(lab.provider.invalid).toEqual([]);
    // The log has all of it.
    expect(JSON.stringify(await lab.items(answer.session))).toContain('5.log:249 step');
  },
);

it('refuses the thread of the SDK in the words with which that goes on by itself', async () => {
  const thread = { type: 'create' };
  const messages = [{ role: 'user', content: 'Hello' }];
  const answer = await lab.post('/v1/messages', { model: 'm', max_tokens: 9, thread, messages });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text)).toMatchObject({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    },
  });
});
