import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { logOf } from '../../support/gateway/sdk-task.ts';

const WINDOW = 20_000;
const CALLS = 30;

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

it('a task of which each answer ends one program and begins the next goes on beyond the window', async () => {
  lab.provider.window = WINDOW;
  const messages: object[] = [{ role: 'user', content: 'Read all logs by programs.' }];
  for (let round = 0; round <= CALLS; round++) {
    const run = { type: 'server_tool_use', id: `s${round}`, name: 'code_execution', input: {} };
    const caller = { type: 'code_execution_20250825', tool_id: `s${round}` };
    const call = { type: 'tool_use', id: `t${round}`, name: 'read', input: {}, caller };
    const ended = {
      type: 'code_execution_tool_result',
      tool_use_id: `s${round - 1}`,
      content: {
        type: 'code_execution_result',
        stdout: 'ok',
        stderr: '',
        return_code: 0,
        content: [],
      },
    };
    const begun = round === CALLS ? [{ type: 'text', text: 'Done.' }] : [run, call];
    const content = round === 0 ? begun : [ended, ...begun];
    const message = { id: `msg_${round}`, type: 'message', role: 'assistant', content };
    lab.provider.verbatim.push({ ...message, model: 'm', stop_reason: 'tool_use' });
    const headers = { 'x-palimpsest-context-window': String(WINDOW) };
    const answer = await lab.post('/v1/messages', { model: 'm', messages }, headers);
    expect([round, answer.status]).toEqual([round, 200]);
    expect(JSON.parse(answer.text)).toMatchObject({ content });
    messages.push({ role: 'assistant', content });
    const result = {
      type: 'tool_result',
      tool_use_id: `t${round}`,
      content: logOf(`log-${round}`),
    };
    messages.push({ role: 'user', content: [result] });
  }
  expect(lab.provider.invalid).toEqual([]);
  expect((await lab.api.deps.store.sessions('local', { limit: 5 })).data).toHaveLength(1);
});
