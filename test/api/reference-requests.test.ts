import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { contextWindowOf } from '../../src/domain/policy/model-table.ts';
import { type ApiReply, type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { objectAt, operationsIn, resolved } from '../support/openapi-document.ts';

// The requests that /docs shows, sent as they stand there. What is answered becomes the example of the
// answer: after a change, `npx vitest run test/api/reference-requests.test.ts -u`.

const ID = 'support-4711';
const LONGEST_TEXT = 160;
const LOG = 'src/parse.ts(14,3): error TS2322: Type string is not assignable to number.\n';
const THOUGHT =
  'The parser reads a number and gets a text, so the type of the field has to change. ';
const LONGEST_LIST = 3;

let document: JsonObject;
let api: ApiServer;
const examples: Record<string, { status: number; type: string; body: Json }> = {};

beforeAll(async () => {
  api = await startApi({ version: '0.2.0', contextWindowOf });
  document = (await send(api, 'GET', '/openapi.json')).body;
});
afterAll(() => api.close());

/** Jobs begin when the answer to what asked for them has come: it says the same in every run. */
async function workOff(): Promise<void> {
  for (let job = api.dispatched.shift(); job !== undefined; job = api.dispatched.shift()) {
    await api.work(job);
  }
}

/** Long texts and lists are cut: an example is there to be read. */
function abridged(value: Json): Json {
  if (typeof value === 'string') {
    return value.length <= LONGEST_TEXT ? value : `${value.slice(0, LONGEST_TEXT)} …`;
  }
  if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map(abridged);
  if (!isJsonObject(value)) return value;
  // Another one each time.
  if ('encrypted_content' in value) return { ...value, encrypted_content: 'pal1.…' };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, abridged(inner)]));
}

/**
 * Sends the request of an operation with every example that the document has for it. `made`: ids that the
 * service has given, in place of those that are shown.
 */
async function ask(operationId: string, made: Record<string, string> = {}): Promise<ApiReply> {
  const found = operationsIn(document).find((one) => one.operation.operationId === operationId);
  if (found === undefined) throw new Error(`there is no operation ${operationId}`);
  const { operation, method } = found;
  let { path } = found;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const parameter of Array.isArray(operation.parameters) ? operation.parameters : []) {
    const { name, in: place, schema, required } = objectAt(parameter);
    const example = made[String(name)] ?? objectAt(schema).example;
    if (example === undefined) {
      expect(required, `${operationId} ${name}`).not.toBe(true);
      continue;
    }
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(example)));
    else if (place === 'query') query.set(String(name), String(example));
    else headers[String(name)] = String(example);
  }
  const { requestBody } = operation;
  const body = requestBody === undefined ? {} : { body: bodyExample(objectAt(requestBody)) };
  const search = query.size === 0 ? '' : `?${query}`;
  const reply = await send(api, method.toUpperCase(), path + search, { headers, ...body });
  expect(reply.status, `${operationId} ${reply.text}`).toBeLessThan(300);
  const type = reply.headers.get('content-type');
  if (type !== null && examples[operationId] === undefined) {
    const shown = type.includes('ndjson') ? reply.text.split('\n')[0] : reply.text;
    const answer = type === 'application/json' ? abridged(reply.body) : (shown ?? '');
    examples[operationId] = { status: reply.status, type, body: answer };
  }
  await workOff();
  return reply;
}

function bodyExample(requestBody: JsonObject): Json {
  const schema = objectAt(requestBody, 'content', 'application/json', 'schema');
  const { example } = resolved(document, schema);
  if (example === undefined) throw new Error(`${JSON.stringify(schema)} has no example`);
  return example;
}

const idIn = ({ body }: ApiReply) => String(body.id);

describe('the example requests', () => {
  it('work over the life of a session', async () => {
    for (const open of ['health', 'readiness', 'metrics', 'listProfiles']) await ask(open);
    await ask('createSession');
    await ask('appendItems');
    await ask('syncSession');
    await ask('listSessions');
    await ask('getSession');
    await ask('listItems');
    await ask('getContext');
    const call = { id: 'toolu_01A', name: 'Bash', input: { command: 'npm run build' } };
    const result = { type: 'tool_result', tool_use_id: 'toolu_01A', content: LOG.repeat(40) };
    await send(api, 'POST', `/sessions/${ID}/items`, {
      body: [
        { role: 'assistant', content: [{ type: 'tool_use', ...call }] },
        { role: 'user', content: [result] },
        assistant('It fails.'),
      ],
    });
    await ask('getToolResult');
    await ask('traceItem');
    const isIndexed = async () =>
      (await send(api, 'GET', `/sessions/${ID}/search?q=build`)).body.is_complete;
    await expect.poll(isIndexed).toBe(true);
    await ask('searchSession');
    await ask('search');
    const pinned = await ask('addPin');
    await ask('listPins');
    await ask('removePin', { pin_id: String(objectAt(pinned.body, 'pin').id) });
    await ask('postSignal');
    await send(api, 'POST', `/sessions/${ID}/items`, {
      body: [user(`Go on. ${LOG.repeat(140)}`), assistant(THOUGHT.repeat(140)), user('Now?')],
    });
    await ask('changeSession');
    const compacted = { cid: idIn(await ask('compact')) };
    await ask('listCompactions');
    await ask('getCompaction', compacted);
    await ask('diffCompaction', compacted);
    await ask('listCovered', compacted);
    await ask('getCost');
    await ask('getLedger');
    await ask('revertCompaction', compacted);
    const propose = async () =>
      idIn(
        await send(api, 'POST', `/sessions/${ID}/compact`, {
          body: { mode: 'full', propose: true },
        }),
      );
    for (const operation of ['applyCompaction', 'discardCompaction']) {
      const cid = await propose();
      await workOff();
      await ask(operation, { cid });
      await send(api, 'POST', `/sessions/${ID}/compactions/${cid}/revert`);
    }
    await ask('cancelCompaction', { cid: await propose() });
    await ask('listEvents');
    await ask('getRollout');
    await ask('forkSession');
    await ask('compactResponse');
    await ask('eraseSession');
  });

  it('work where the agent was asked for a packet', async () => {
    const settings = {
      id: ID,
      profile: 'rawr',
      context_window: 40_000,
      config: { packet_author: 'agent' },
    };
    await send(api, 'POST', '/sessions', { body: settings });
    await send(api, 'POST', `/sessions/${ID}/items`, {
      body: [
        user('Mend the build.'),
        assistant(ofTokens(12_000)),
        user('And?'),
        assistant('Done.'),
      ],
    });
    await send(api, 'POST', `/sessions/${ID}/signals`, { body: { signal: 'turn_complete' } });
    await ask('postPacket');
  });

  it('are there for every operation', () => {
    const asked = operationsIn(document).map(({ operation }) => operation.operationId);
    const withoutBody = ['removePin', 'eraseSession'];
    expect([...Object.keys(examples), ...withoutBody].toSorted()).toEqual(asked.toSorted());
  });

  it('have the answers that the document shows', async () => {
    const file = '../../src/api/reference/examples.json';
    await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(file);
  });

  it('have answers that fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'openapi');
    for (const { operation } of operationsIn(document)) {
      const example = examples[String(operation.operationId)];
      if (example?.type !== 'application/json') continue;
      const place = ['responses', String(example.status), 'content', example.type];
      const text = JSON.stringify(objectAt(operation, ...place, 'schema'));
      const fits = ajv.compile(JSON.parse(text.replaceAll('"$ref":"#', '"$ref":"openapi#')));
      expect(fits(example.body), `${operation.operationId} ${ajv.errorsText(fits.errors)}`).toBe(
        true,
      );
      expect(objectAt(operation, ...place).example, place.join()).toEqual(example.body);
    }
  });
});
