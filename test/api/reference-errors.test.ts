import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_KINDS } from '../../src/api/http/problem.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import {
  type ApiReply,
  type ApiServer,
  SMALL_WINDOW,
  send,
  startApi,
} from '../support/api-server.ts';
import { ofTokens, user } from '../support/items.ts';
import { examplesOf, objectAt, operationsIn, resolved } from '../support/openapi-document.ts';

// Each error of each operation has an example at /docs, and the examples are what the service says.

let api: ApiServer;
let document: JsonObject;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

beforeAll(async () => {
  api = await startApi();
  document = (await send(api, 'GET', '/openapi.json')).body;
  ajv.addSchema(document, 'openapi');
});
afterAll(() => api.close());

const urn = (code: string) => `urn:palimpsest:problem:${code.replaceAll('_', '-')}`;

describe('error responses', () => {
  it('have an example for each code, with its type, title and status', () => {
    const fits = ajv.compile({ $ref: 'openapi#/components/schemas/Problem' });
    let count = 0;
    for (const { path, method, operation } of operationsIn(document)) {
      for (const [status, response] of Object.entries(objectAt(operation, 'responses'))) {
        if (Number(status) < 400 || path.startsWith('/v1/')) continue;
        const where = `${method} ${path} ${status}`;
        const examples = examplesOf(document, objectAt(response));
        expect(examples.size, where).toBeGreaterThan(0);
        for (const [code, example] of examples) {
          const kind = Object.entries(PROBLEM_KINDS).find(([name]) => name === code)?.[1];
          expect(example, where).toMatchObject({
            type: urn(code),
            ...kind,
            status: Number(status),
          });
          expect(fits(example), where).toBe(true);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(400);
  });

  it('have one for each code in the shape of OpenAI below /v1', () => {
    const fits = ajv.compile({ $ref: 'openapi#/components/schemas/OpenAiError' });
    const operation = objectAt(document, 'paths', '/v1/responses/compact', 'post');
    for (const [status, response] of Object.entries(objectAt(operation, 'responses'))) {
      if (Number(status) < 400) continue;
      const examples = examplesOf(document, objectAt(response));
      expect(examples.size, status).toBeGreaterThan(0);
      for (const [code, example] of examples) {
        expect(objectAt(example, 'error').code).toBe(code);
        expect(fits(example), code).toBe(true);
      }
    }
  });
});

/** Words without what differs from case to case: ids and numbers. */
function words(text: unknown): string {
  return JSON.stringify(text ?? null)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/\d+/g, 'N');
}

/** The answer is what the document shows for this code at this operation. */
function expectExample(template: string, method: string, code: string, reply: ApiReply): void {
  const operation = objectAt(document, 'paths', template, method.toLowerCase());
  const response = objectAt(operation, 'responses', String(reply.status));
  const example = examplesOf(document, resolved(document, response)).get(code);
  if (example === undefined) throw new Error(`${method} ${template} shows no ${code}`);
  const { type, detail, errors } = objectAt(example);
  expect.soft(reply.body.type, code).toBe(type);
  expect.soft(words(reply.body.detail), code).toBe(words(detail));
  expect.soft(words(reply.body.errors), code).toBe(words(errors));
}

describe('the examples are the words of the service', () => {
  const HEADERS = { 'idempotency-key': 'k' };

  it('of a session', async () => {
    const own = await startApi();
    const id = 'support-4711';
    const ask = async (
      code: string,
      method: string,
      template: string,
      options: {
        body?: unknown;
        headers?: Record<string, string>;
        query?: string;
        params?: Record<string, string>;
      } = {},
    ) => {
      const { params = {}, query = '', ...rest } = options;
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? id);
      expectExample(template, method, code, await send(own, method, path + query, rest));
    };
    const session = '/sessions/{id}';
    const one = `${session}/compactions/{cid}`;
    await ask('session_not_found', 'GET', session);
    await send(own, 'POST', '/sessions', { body: { id, context_window: SMALL_WINDOW } });
    await ask('session_exists', 'POST', '/sessions', { body: { id } });
    await ask('invalid_config', 'POST', '/sessions', {
      body: { config: { micro_compact_eligible_tools: ['!'] } },
    });
    await ask('invalid_request', 'GET', '/sessions', { query: '?limt=5' });
    await ask('invalid_item', 'POST', `${session}/items`, {
      body: [{ role: 'tool', content: 'x' }],
    });
    for (const text of ['a', 'b'])
      await send(own, 'POST', `/sessions/${id}/items`, { body: user(text), headers: HEADERS });
    await ask('idempotency_mismatch', 'POST', `${session}/items`, {
      body: user('c'),
      headers: HEADERS,
    });
    await ask('version_mismatch', 'POST', `${session}/items`, {
      body: user('c'),
      headers: { 'if-match': '"12"' },
    });
    await ask('unsupported_media_type', 'POST', `${session}/fork`, {
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    await ask('body_too_large', 'POST', `${session}/items`, { body: 'x'.repeat(1_000_001) });
    await ask('version_not_found', 'GET', `${session}/context`, { query: '?at=99' });
    await ask('not_found', 'POST', `${session}/pins`, { body: { seq: 99 } });
    await send(own, 'POST', '/sessions', { body: { id: 'small', context_window: 4_000 } });
    await ask('not_pinnable', 'POST', `${session}/pins`, {
      params: { id: 'small' },
      body: { text: ofTokens(4_000) },
    });
    await ask('pin_not_found', 'DELETE', `${session}/pins/{pin_id}`, {
      params: { pin_id: 'none' },
    });
    await ask('packet_not_requested', 'POST', `${session}/packet`, { body: { text: 'Goal: …' } });
    await ask('compaction_not_found', 'GET', one);
    await ask('history_diverged', 'POST', `${session}/sync`, {
      body: { items: [user('z')], on_divergence: 'reject' },
    });
    await send(own, 'POST', `/sessions/${id}/items`, {
      body: [user(ofTokens(3_000)), user(ofTokens(3_000))],
    });
    const proposal = await send(own, 'POST', `/sessions/${id}/compact`, {
      body: { mode: 'full', propose: true },
    });
    await ask('compaction_not_ended', 'GET', `${one}/diff`, {
      params: { cid: String(proposal.body.id) },
    });
    await ask('compaction_under_way', 'POST', `${session}/compact`, { body: { mode: 'full' } });
    await own.work(own.dispatched.at(-1));
    const running = await send(own, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
    await ask('compaction_not_proposable', 'POST', `${session}/compact`, {
      body: { propose: true },
    });
    await ask('compaction_not_applicable', 'POST', `${one}/apply`, {
      params: { cid: String(proposal.body.id) },
    });
    await own.work(own.dispatched.at(-1));
    const cid = String(running.body.id);
    await ask('proposal_not_open', 'POST', `${one}/discard`, { params: { cid } });
    await ask('compaction_not_cancellable', 'POST', `${one}/cancel`, { params: { cid } });
    await send(own, 'POST', `/sessions/${id}/compactions/${cid}/revert`);
    await ask('compaction_not_revertible', 'POST', `${one}/revert`, { params: { cid } });
    await send(own, 'PATCH', `/sessions/${id}`, { body: { config: { enabled: false } } });
    await ask('compaction_disabled', 'POST', `${session}/compact`, { body: {} });
    await ask('cross_site_request', 'GET', session, { headers: { origin: 'https://example.com' } });
    await own.close();
  });

  it('of a service with keys and a limit', async () => {
    const keyed = await startApi({
      keys: [{ name: 'a', key: 'k1' }],
    });
    expectExample('/sessions', 'GET', 'unauthorized', await send(keyed, 'GET', '/sessions'));
    await keyed.close();
  });
});
