import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] };
const TRIGGER = { type: 'compaction_trigger' };
const REFERENCE = { type: 'item_reference', id: 'msg_67c9' };

describe('D7: what asks the provider for something is no item of a session', () => {
  it.each([
    [TRIGGER, 'asks for a compaction and is no part of the conversation'],
    [REFERENCE, 'append the item itself'],
  ])('%j is refused, and nothing is appended', async (item, message) => {
    const id = crypto.randomUUID();
    await send(api, 'POST', '/sessions', { body: { id, format: 'openai-responses' } });
    const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: [said, item] });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(message);
    expect((await send(api, 'GET', `/sessions/${id}`)).body.version).toBe(1);
  });

  it('is refused in the initial context', async () => {
    const body = { format: 'openai-responses', initial_context: [TRIGGER] };
    const reply = await send(api, 'POST', '/sessions', { body });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('compaction_trigger');
  });

  it('is left out of an imported Codex file, which says so', () => {
    const lines = [
      { type: 'session_meta', payload: { id: 's' } },
      { type: 'response_item', payload: said },
      { type: 'response_item', payload: TRIGGER },
    ];
    const file = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
    const [transcript] = readTranscripts('rollout.jsonl', file);
    expect(transcript?.items).toHaveLength(1);
    expect(JSON.stringify(transcript?.skipped)).toContain('compaction_trigger');
  });

  it('says nothing new at the end of a request for a compaction, and is refused before it', async () => {
    const compact = (input: object[]) =>
      send(api, 'POST', '/v1/responses/compact', { body: { model: 'gpt-5.4', input } });
    const asked = await compact([said, TRIGGER]);
    expect(asked.status).toBe(200);
    expect(asked.body.usage).toEqual((await compact([said])).body.usage);
    const refused = await compact([TRIGGER, said]);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('input[0].type');
  });
});
