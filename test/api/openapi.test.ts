import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, SMALL_WINDOW, send, startApi } from '../support/api-server.ts';
import { assistant, attachment, ofTokens, tool, user } from '../support/items.ts';
import { examplesOf, objectAt, operationsIn, resolved } from '../support/openapi-document.ts';

let api: ApiServer;
let document: JsonObject;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

beforeAll(async () => {
  api = await startApi();
  document = (await send(api, 'GET', '/openapi.json')).body;
  ajv.addSchema(document, 'openapi');
});
afterAll(() => api.close());

/** Every value under `key` anywhere in the document. */
function everything(key: string, value: Json = document): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = !Array.isArray(value) && value[key] !== undefined ? [value[key]] : [];
  return [...own, ...Object.values(value).flatMap((inner) => everything(key, inner))];
}

describe('the document', () => {
  it('is OpenAPI 3.1 and lists what is built', () => {
    expect(document.openapi).toBe('3.1.0');
    const listed = operationsIn(document).map(
      ({ path, method }) => `${method.toUpperCase()} ${path}`,
    );
    expect(listed.toSorted()).toEqual(
      [
        'GET /search',
        'GET /sessions/{id}/search',
        'POST /sessions',
        'GET /sessions',
        'GET /sessions/{id}',
        'PATCH /sessions/{id}',
        'DELETE /sessions/{id}',
        'POST /sessions/{id}/items',
        'GET /sessions/{id}/items',
        'DELETE /sessions/{id}/pins/{pin_id}',
        'GET /sessions/{id}/ledger',
        'GET /sessions/{id}/pins',
        'POST /sessions/{id}/pins',
        'GET /sessions/{id}/context',
        'POST /sessions/{id}/compact',
        'GET /sessions/{id}/compactions',
        'GET /sessions/{id}/compactions/{cid}',
        'GET /sessions/{id}/compactions/{cid}/covered',
        'GET /sessions/{id}/compactions/{cid}/diff',
        'GET /sessions/{id}/cost',
        'POST /sessions/{id}/compactions/{cid}/revert',
        'POST /sessions/{id}/compactions/{cid}/cancel',
        'POST /sessions/{id}/compactions/{cid}/apply',
        'POST /sessions/{id}/compactions/{cid}/discard',
        'GET /sessions/{id}/events',
        'GET /sessions/{id}/rollout',
        'GET /sessions/{id}/items/{seq}/trace',
        'GET /sessions/{id}/tool-results/{tool_use_id}',
        'POST /sessions/{id}/fork',
        'POST /sessions/{id}/packet',
        'POST /sessions/{id}/signals',
        'POST /sessions/{id}/sync',
        'POST /v1/responses/compact',
        'GET /profiles',
        'GET /healthz',
        'GET /metrics',
        'GET /readyz',
      ].toSorted(),
    );
  });

  it('refers to nothing that is not there', () => {
    for (const reference of everything('$ref')) {
      expect(reference).toMatch(/^#\/components\/(schemas|examples|responses)\/\w+$/);
      objectAt(document, ...String(reference).slice(2).split('/'));
    }
  });

  it('gives every operation an own id, and every path its parameters', () => {
    const ids = operationsIn(document).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operationsIn(document)) {
      const inPath = everything('in', operation).filter((place) => place === 'path');
      expect(inPath, path).toHaveLength(path.split('{').length - 1);
    }
  });

  it('has schemas that compile, whose examples fit', () => {
    for (const [name, schema] of Object.entries(objectAt(document, 'components', 'schemas'))) {
      const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
      const { example } = objectAt(schema);
      if (example !== undefined) expect(validate(example), name).toBe(true);
    }
  });

  it('says of every session operation that it may ask for a key', () => {
    for (const { path, operation } of operationsIn(document)) {
      if (!path.startsWith('/sessions')) continue;
      expect(operation.security).toEqual([{ bearer: [] }, { api_key: [] }, {}]);
      expect(Object.keys(objectAt(operation, 'responses'))).toEqual(
        expect.arrayContaining(['400', '401', '403', '429', '500', '503']),
      );
    }
  });
});

describe('answers are as documented', () => {
  const seen = new Set<string>();

  /** Sends a request and checks status, content type and body against the document. */
  async function check(
    method: string,
    template: string,
    options: {
      params?: Record<string, string>;
      query?: string;
      body?: unknown;
      headers?: Record<string, string>;
    } = {},
  ): Promise<JsonObject> {
    const { params = {}, query = '', body, headers = {} } = options;
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? 'doc');
    const reply = await send(api, method, path + query, { body, headers });
    const where = `${method} ${path} ${reply.status}`;
    const operation = objectAt(document, 'paths', template, method.toLowerCase());
    const response = resolved(document, objectAt(operation, 'responses', String(reply.status)));
    seen.add(`${operation.operationId} ${reply.status}`);
    if (response.content === undefined) expect(reply.text, where).toBe('');
    else {
      const type = reply.headers.get('content-type') ?? '';
      const schema = objectAt(response, 'content', type, 'schema');
      if (/json$/.test(type) && !type.includes('ndjson')) {
        const text = JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"openapi#');
        const validate = ajv.compile(JSON.parse(text));
        validate(reply.body);
        expect(validate.errors, where).toBeNull();
        if (type.startsWith('application/problem')) {
          const code = String(reply.body.type).split(':').at(-1)?.replaceAll('-', '_');
          expect([...examplesOf(document, response).keys()], where).toContain(code);
        }
      }
    }
    return reply.body;
  }

  it('over the life of a session', async () => {
    const item = '/sessions/{id}';
    const one = `${item}/compactions/{cid}`;
    await check('POST', '/sessions', {
      body: {
        id: 'doc',
        context_window: SMALL_WINDOW,
        config: { micro_compact_target_tokens: 100, summarization_model: null },
      },
    });
    await check('POST', '/sessions', { body: { id: 'doc' } });
    await check('POST', '/sessions', { body: { x: 1 } });
    await check('GET', '/sessions');
    await check('GET', item);
    await check('PATCH', item, { body: { metadata: { a: [1] } } });
    const reads = Array.from({ length: 8 }, (_, i) =>
      tool(`c${i}`, 'Read', 1_400, { path: `f${i}` }),
    ).flat();
    const items = [user('Read.'), attachment('todo', 'x'), ...reads, user('b'), assistant('c')];
    await check('POST', `${item}/items`, { body: items });
    await check('GET', `${item}/compactions`);
    await api.work(api.dispatched.at(-1));
    for (const [body, headers] of [
      [{ role: 'user' }, {}],
      [user('x'), { 'if-match': '"1"' }],
      ['x', { 'content-type': 'text/plain' }],
      [Array(101).fill({}), {}],
    ] as const) {
      await check('POST', `${item}/items`, { body, headers });
    }
    for (const body of [user('x'), user('y')]) {
      await check('POST', `${item}/items`, { body, headers: { 'idempotency-key': 'k' } });
    }
    await check('GET', `${item}/items`);
    await check('GET', `${item}/context`);
    await check('GET', `${item}/context`, { headers: { 'if-none-match': '*' } });
    await check('GET', `${item}/context`, { query: '?at=999' });
    for (const mode of ['auto', 'micro', 'full']) {
      await check('POST', `${item}/compact`, { body: { mode, dry_run: true } });
    }
    await check('POST', `${item}/compact`, { body: { mode: 'remote' } });
    for (const mode of ['full', 'micro']) {
      const { id } = await check('POST', `${item}/compact`, { body: { mode } });
      await check('GET', one, { params: { cid: String(id) } });
      await check('GET', `${one}/diff`, { params: { cid: String(id) } });
      await check('GET', `${one}/covered`, { params: { cid: String(id) } });
      await api.work(api.dispatched.at(-1));
    }
    const done = check('POST', `${item}/compact`, { headers: { prefer: 'wait=20' } });
    const count = api.dispatched.length;
    await expect.poll(() => api.dispatched.length).toBeGreaterThan(count);
    await api.work(api.dispatched.at(-1));
    await done;
    const page = await send(api, 'GET', '/sessions/doc/compactions');
    expect(page.body.data).toHaveLength(4);
    for (const { id: cid } of JSON.parse(page.text).data) {
      await check('GET', one, { params: { cid } });
      await check('GET', `${one}/diff`, { params: { cid } });
      await check('GET', `${one}/covered`, { params: { cid } });
      await check('POST', `${one}/cancel`, { params: { cid } });
    }
    const newest = JSON.parse(page.text).data.find(({ outcome }: { outcome: string }) =>
      outcome.endsWith('_compacted'),
    );
    for (let i = 0; i < 2; i++) {
      await check('POST', `${one}/revert`, { params: { cid: newest.id } });
    }
    const cancelled = await check('POST', `${item}/compact`, { body: {} });
    await check('POST', `${one}/cancel`, { params: { cid: String(cancelled.id) } });
    await check('GET', `${item}/events`);
    await check('GET', `${item}/rollout`);
    await check('GET', `${item}/tool-results/{tool_use_id}`, { params: { tool_use_id: 'c0' } });
    await check('GET', `${item}/tool-results/{tool_use_id}`, { params: { tool_use_id: 'no' } });
    const { pin } = await check('POST', `${item}/pins`, { body: { seq: 5 } });
    await check('POST', `${item}/pins`, { body: { text: 'Never.' } });
    await check('POST', `${item}/pins`, { body: { seq: 1 } });
    await check('POST', `${item}/pins`, { body: {} });
    await check('GET', `${item}/pins`);
    for (const pin_id of [String((pin as JsonObject).id), 'none']) {
      await check('DELETE', `${item}/pins/{pin_id}`, { params: { pin_id } });
    }
    for (const seq of ['2', '5', '1', '99999']) {
      await check('GET', `${item}/items/{seq}/trace`, { params: { seq } });
    }
    await check('POST', `${item}/fork`, { body: { at: 5 } });
    await check('POST', `${item}/fork`, { body: { id: 'doc' } });
    await check('GET', '/healthz');
    await check('GET', '/readyz');
    await check('DELETE', item);
    await check('DELETE', item);
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'createSession 201',
        'appendItems 201',
        'appendItems 412',
        'appendItems 413',
        'appendItems 415',
        'appendItems 422',
        'getContext 304',
        'compact 200',
        'compact 202',
        'diffCompaction 200',
        'diffCompaction 409',
        'revertCompaction 200',
        'revertCompaction 409',
        'cancelCompaction 200',
        'cancelCompaction 409',
        'getToolResult 200',
        'addPin 201',
        'listPins 200',
        'removePin 204',
        'removePin 404',
        'traceItem 200',
        'traceItem 404',
        'listCovered 200',
        'listCovered 409',
        'forkSession 201',
        'eraseSession 204',
        'eraseSession 404',
      ]),
    );
  });

  it('where clients of the OpenAI API ask', async () => {
    const path = '/v1/responses/compact';
    const request = objectAt(document, 'components', 'schemas', 'ResponsesCompactRequest');
    expect(request.required).toEqual(['model']);
    await check('POST', path, { body: { model: 'gpt-5.4', input: 'Hello' } });
    await check('POST', path, { body: { model: 'gpt-5.4' } });
    await check('POST', path, { body: 'x', headers: { 'content-type': 'text/plain' } });
    await check('POST', path, {
      body: { model: 'gpt-5.4', input: Array(101).fill(user('Hello')) },
    });
    for (const status of [200, 400, 413, 415]) expect(seen).toContain(`compactResponse ${status}`);
  });

  it('shows the levels of the context in numbers that add up', async () => {
    await send(api, 'POST', '/sessions/sum/items', { body: user(ofTokens(100)) });
    const { context } = await check('GET', '/sessions/{id}', { params: { id: 'sum' } });
    expect(context).toMatchObject({ tokens: 133, limit: 187_000 });
  });
});
