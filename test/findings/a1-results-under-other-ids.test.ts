import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/domain/items/codecs.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { ofTokens } from '../support/items.ts';

let api: ApiServer;
let sessions = 0;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const ask = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

const shellCall = {
  type: 'local_shell_call',
  id: 'lsh_1',
  call_id: 'call_1',
  status: 'completed',
  action: { type: 'exec', command: ['cat', 'src/lexer.ts'], env: {} },
};
const shellOutput = (id: string) => ({ type: 'local_shell_call_output', id, output: 'THE RESULT' });

const request = {
  type: 'mcp_approval_request',
  id: 'mcpr_1',
  server_label: 'deepwiki',
  name: 'ask_question',
  arguments: '{"repo":"a/b"}',
};
const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };

async function create(...items: object[]): Promise<{ path: string; note: unknown }> {
  const path = `/sessions/other-ids-${++sessions}`;
  await send(api, 'POST', '/sessions', {
    body: {
      id: path.slice('/sessions/'.length),
      format: 'openai-responses',
      context_window: 32_000,
    },
  });
  const reply = await send(api, 'POST', `${path}/items`, { body: { items } });
  expect(reply.status).toBe(201);
  return { path, note: reply.body.note };
}

async function context(path: string, format = 'openai-responses'): Promise<JsonObject[]> {
  const { body } = await send(api, 'GET', `${path}/context?format=${format}`);
  return body.items as JsonObject[];
}

describe('A1: a result is joined to its call by whatever the format joins them', () => {
  it.each(['call_1', 'lsh_1'])('a local shell output that names its call %s', async (id) => {
    const { path, note } = await create(ask('Go.'), shellCall, shellOutput(id), ask('Next.'));
    expect(note).toBeNull();
    expect(await context(path)).toEqual([
      ask('Go.'),
      shellCall,
      shellOutput('call_1'),
      ask('Next.'),
    ]);
    for (const format of FORMATS) {
      const text = JSON.stringify(await context(path, format));
      expect(text).toContain('THE RESULT');
      expect(text).not.toContain('No result was recorded');
    }
  });

  it.each(['call_1', 'lsh_1'])('is open no more once a result names it %s', async (id) => {
    const { path } = await create(ask('Go.'), shellCall, shellOutput(id));
    for (const again of ['call_1', 'lsh_1']) {
      const { body } = await send(api, 'POST', `${path}/items`, { body: shellOutput(again) });
      expect(body.note).toContain(`result answers no open tool call`);
    }
  });

  it('calls that were answered are not remembered as open, however many there were', async () => {
    const { path } = await create(ask('Go.'));
    for (let n = 1; n <= 200; n += 20) {
      const items = Array.from({ length: 20 }, (_, index) => [
        { ...shellCall, id: `lsh_${n + index}`, call_id: `call_${n + index}` },
        shellOutput(`lsh_${n + index}`),
      ]).flat();
      const { body } = await send(api, 'POST', `${path}/items`, { body: { items } });
      expect(body.note).toBeNull();
    }
    const { body } = await send(api, 'POST', `${path}/items`, { body: shellOutput('lsh_999') });
    expect(body.note).toContain('lsh_999');
  });

  it.each(['call_1', 'lsh_1'])('a commit is seen when its output names the call %s', async (id) => {
    const commit = { ...shellCall.action, command: ['git', 'commit', '-m', 'Add the lexer'] };
    const created = `/sessions/committed-${id.replace('_', '-')}`;
    const body = { id: created.slice('/sessions/'.length), format: 'openai-responses' };
    await send(api, 'POST', '/sessions', { body: { ...body, profile: 'rawr' } });
    const items = [ask('Go.'), { ...shellCall, action: commit }];
    await send(api, 'POST', `${created}/items`, { body: { items } });
    await send(api, 'POST', `${created}/items`, { body: shellOutput(id) });
    const head = await api.deps.store.head({ tenant: 'local', session_id: body.id });
    expect(head?.state.signals).toEqual(['commit']);
    expect(head?.state.open_commands).toEqual([]);
    expect(head?.state.open_calls.calls).toEqual([]);
  });

  it('an approval with the request of the server, which stay together', async () => {
    const { path, note } = await create(ask('Go.'), request, approval, ask('Next.'));
    expect(note).toBeNull();
    expect(await context(path)).toEqual([ask('Go.'), request, approval, ask('Next.')]);
    expect(JSON.stringify(await context(path, 'anthropic'))).toContain('Approved');
  });

  it('an approval that came first stands after its request, and one without request is left out', async () => {
    const early = await create(ask('Go.'), approval, request, ask('Next.'));
    expect(await context(early.path)).toEqual([ask('Go.'), request, approval, ask('Next.')]);
    expect(early.note).toContain('mcpr_1');
    const alone = await create(ask('Go.'), approval, ask('Next.'));
    expect(await context(alone.path)).toEqual([ask('Go.'), ask('Next.')]);
    expect(alone.note).toContain('mcpr_1');
  });

  it('a request that was passed over is left out, and an open one waits', async () => {
    const over = await create(ask('Go.'), request, ask('Next.'));
    expect(await context(over.path)).toEqual([ask('Go.'), ask('Next.')]);
    const open = await create(ask('Go.'), request);
    expect(await context(open.path)).toEqual([ask('Go.'), request]);
  });

  it('a compaction does not come between a request and its approval', async () => {
    const long = [1, 2, 3, 4].map((n) => ask(`${n} ${ofTokens(3_000)}`));
    const { path } = await create(...long, request, ask(ofTokens(9_000)), approval, ask('Next.'));
    await send(api, 'POST', `${path}/compact`, { body: { mode: 'full' } });
    for (const job of api.dispatched.splice(0)) await api.work(job);
    const items = await context(path);
    const has = (type: string) => items.some((item) => item.type === type);
    expect(has('mcp_approval_request')).toBe(has('mcp_approval_response'));
  });
});
