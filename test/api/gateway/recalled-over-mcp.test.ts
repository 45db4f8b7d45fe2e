import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../../support/api-server.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const NEEDLE = 'the tower is painted in pelorous blue';

/** What the program of the client asks of our server, as it runs the call that its model has made. */
async function searched(meta: object): Promise<string> {
  const params = { name: 'search_history', arguments: { query: 'pelorous' }, _meta: meta };
  const { body } = await send(lab.api, 'POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers: { accept: 'application/json, text/event-stream' },
  });
  return JSON.stringify(body);
}

describe('a call of our tools by a client whose address names no session', () => {
  it('of Claude Code is of the session in which its model has made it', async () => {
    lab.provider.script = () => ({
      text: '',
      calls: [{ id: 'toolu_ours', name: 'mcp__palimpsest__search_history', input: {} }],
    });
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: NEEDLE }],
    };
    const headers = { 'x-claude-code-session-id': 'one' };
    // Not waited for: the call comes while the answer is written down.
    await lab.post('/v1/messages', body, headers);
    expect(await searched({ 'claudecode/toolUseId': 'toolu_ours' })).toContain(NEEDLE);
    expect(await searched({ 'claudecode/toolUseId': 'toolu_other' })).toContain('not known which');
  });

  it('of Claude Code is of a session that another way has brought here', async () => {
    const items = [
      { role: 'user', content: NEEDLE },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_own', name: 'mcp__palimpsest__recall', input: {} },
        ],
      },
    ];
    const asked = searched({ 'claudecode/toolUseId': 'toolu_own' });
    await send(lab.api, 'POST', '/sessions/appended/items', { body: items });
    expect(await asked).toContain(NEEDLE);
    await send(lab.api, 'POST', '/sessions/appended/fork', { body: { id: 'fork-1' } });
    await send(lab.api, 'POST', '/sessions/appended/fork', { body: { id: 'fork-2' } });
    expect(await searched({ 'claudecode/toolUseId': 'toolu_own' })).toContain(NEEDLE);
  });

  it('of Claude Code is of none where the call stands in two', async () => {
    lab.provider.script = () => ({
      text: '',
      calls: [{ id: 'toolu_twice', name: 'mcp__palimpsest__search_history', input: {} }],
    });
    for (const name of ['one', 'two']) {
      const body = {
        model: 'claude-sonnet-4-5',
        max_tokens: 100,
        messages: [{ role: 'user', content: `${NEEDLE} ${name}` }],
      };
      await lab.post('/v1/messages', body, { 'x-claude-code-session-id': name });
      expect(await searched({ 'claudecode/toolUseId': 'toolu_twice' })).toContain(
        name === 'one' ? NEEDLE : 'stands in more than one',
      );
    }
  });

  it('of Codex is of its thread', async () => {
    const body = { model: 'gpt-5.4', input: [{ role: 'user', content: NEEDLE }] };
    await lab.post('/v1/responses', body, { 'thread-id': 'th-1' });
    expect(await searched({ threadId: 'th-1', sessionId: 's-1' })).toContain(NEEDLE);
    expect(await searched({ threadId: 'th-2', sessionId: 's-2' })).toContain('not known which');
  });
});
