import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JsonObject, objectsIn } from '../../../src/domain/json.ts';
import { GatewayLab } from '../../support/gateway/lab.ts';
import { bodyOf, eventsOf } from '../../support/gateway/provider-answers.ts';
import { close, listen } from '../../support/listening.ts';

let lab: GatewayLab;
let upstream: Server;
let answers: RequestListener[];
let asked: number;

beforeEach(async () => {
  answers = [];
  asked = 0;
  upstream = createServer((request, response) => {
    request.resume().on('end', () => answers[asked++]?.(request, response));
  });
  const url = await listen(upstream);
  const gateway = { upstreams: { anthropic: url, openai: `${url}/v1` }, wait_seconds: 20 };
  lab = await GatewayLab.open({ gateway });
});
afterEach(async () => {
  await lab.close();
  upstream.closeAllConnections();
  await close(upstream);
});

const SEARCH = 'palimpsest_search_history';
const FIGURES = { input: 9, output: 3 };

type Protocol = 'chat' | 'messages' | 'responses';
const PATHS = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};

const stream =
  (events: readonly string[], end = true): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(event);
    if (end) response.end();
  };
const searches = (protocol: Protocol) =>
  eventsOf(
    protocol,
    'a',
    { text: '', calls: [{ id: 'own', name: SEARCH, input: { query: 'port' } }] },
    FIGURES,
  );
const says = (protocol: Protocol) => eventsOf(protocol, 'b', { text: 'It is 8080.' }, FIGURES);
const withoutDone = (events: readonly string[]) =>
  events.filter((event) => !event.includes('[DONE]'));

const ask = (protocol: Protocol, isStream = true) =>
  lab.post(
    PATHS[protocol],
    {
      model: 'm',
      max_tokens: 9,
      stream: isStream,
      [protocol === 'responses' ? 'input' : 'messages']: [{ role: 'user', content: 'Which port?' }],
    },
    { 'x-palimpsest-recall': 'on', 'x-palimpsest-session': 'ports' },
  );

it('answers a call of ours where the server does not say [DONE]', async () => {
  answers.push(stream(withoutDone(searches('chat'))), stream(withoutDone(says('chat'))));
  const { text, session } = await ask('chat');
  expect(asked).toBe(2);
  expect(text).toContain('8080');
  await expect.poll(async () => (await lab.items(session)).length).toBe(4);
  const last = (await lab.items(session)).at(-1);
  expect(last).toMatchObject({ content: 'It is 8080.' });
  expect(last).not.toHaveProperty('is_cut_off');
});

/** More than is kept of an answer. */
const LONG = 'A picture. '.repeat(320_000);

it.each(['chat', 'messages', 'responses'] as const)(
  '%s: hands on an answer that is too long to be looked through',
  async (protocol) => {
    const [first = '', ...rest] = says(protocol).toSpliced(
      -2,
      0,
      ...Array.from(
        { length: 10 },
        () => `data: ${JSON.stringify({ type: 'more', text: LONG })}\n\n`,
      ),
    );
    answers.push(stream([first, ...rest]));
    const streamed = await ask(protocol);
    expect(streamed.status).toBe(200);
    expect(streamed.text.split(LONG)).toHaveLength(11);
    expect(streamed.text.endsWith(rest.at(-1) ?? '')).toBe(true);
    const body = JSON.stringify({ ...bodyOf(protocol, 'c', { text: LONG.repeat(10) }, FIGURES) });
    answers.push((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'r' });
      response.end(body);
    });
    const { status, text, headers } = await ask(protocol, false);
    expect([status, headers.get('request-id'), text === body]).toEqual([200, 'r', true]);
  },
);

it.each([
  ['without numbers', [{}, {}]],
  ['under one number', [{ index: 0 }, { index: 0 }]],
])('hands on a call of the client beside one of ours that come %s', async (_, places) => {
  const call = (place: object, id: string, name: string) => ({
    ...place,
    id,
    type: 'function',
    function: { name, arguments: '{}' },
  });
  const chunk = (delta: object, finish_reason: string | null = null) => {
    const data: JsonObject = { id: 'a', object: 'chat.completion.chunk', model: 'm' };
    return `data: ${JSON.stringify({ ...data, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  };
  const [first = {}, second = {}] = places;
  answers.push(
    stream([
      chunk({ role: 'assistant', tool_calls: [call(first, 'own', SEARCH)] }),
      chunk({ tool_calls: [call(second, 'theirs', 'read')] }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ]),
  );
  const { text, session } = await ask('chat');
  expect(text).toContain('"id":"theirs"');
  expect(text).not.toContain(SEARCH);
  expect(text).toContain('"finish_reason":"tool_calls"');
  const called = async () =>
    (await lab.items(session))
      .flatMap(({ tool_calls }) => objectsIn(tool_calls))
      .map(({ id }) => id);
  await expect.poll(called).toEqual(['theirs', 'own']);
});

it.each(['chat', 'messages', 'responses'] as const)(
  '%s: waits for no end of the connection behind the end of an answer',
  async (protocol) => {
    answers.push(stream(searches(protocol), false), stream(says(protocol), false));
    const { text } = await ask(protocol);
    expect(asked).toBe(2);
    expect(text).toContain('8080');
  },
  // Less than the rounds of a turn may take.
  18_000,
);

it.each(['chat', 'messages', 'responses'] as const)(
  '%s: tells what the provider says with a status of 200 in place of a later round',
  async (protocol) => {
    answers.push(stream(searches(protocol)), (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"overloaded_error","message":"all ask"}}');
    });
    const { text } = await ask(protocol);
    expect(text.match(/all ask/g)).toHaveLength(1);
  },
);

it('hands on no event that was cut where the upstream just ends', async () => {
  const whole = says('messages').join('');
  answers.push(stream([whole.slice(0, whole.indexOf('message_delta"') + 4)]));
  const { text } = await ask('messages');
  for (const line of text.split('\n').filter((each) => each.startsWith('data: '))) {
    expect(() => void JSON.parse(line.slice(6))).not.toThrow();
  }
});

it.each(['chat', 'messages', 'responses'] as const)(
  '%s: hands on the whole of what it is told in place of a later body',
  async (protocol) => {
    const call = { id: 'own', name: SEARCH, input: { query: 'port' } };
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'all ask' } };
    const bodies = [bodyOf(protocol, 'a', { text: '', calls: [call] }, FIGURES), error];
    for (const body of bodies) {
      answers.push((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    }
    const { status, text } = await ask(protocol, false);
    expect(asked).toBe(2);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual(error);
  },
);

it('says of a response that has failed nothing that the client was not to see', async () => {
  const failed = (events: readonly string[]) =>
    events.map((event) => event.replaceAll('response.completed', 'response.failed'));
  answers.push(stream(failed(searches('responses'))));
  const first = await ask('responses');
  expect(first.text).toContain('response.failed');
  expect(first.text).not.toContain(SEARCH);
  answers.push(stream(searches('responses')), stream(failed(says('responses'))));
  const second = await ask('responses');
  expect(second.text).toContain('response.failed');
  expect(second.text).not.toContain(SEARCH);
});

const whole =
  (output: JsonObject[]): RequestListener =>
  (_, response) => {
    const body = { id: `resp_${asked}`, object: 'response', status: 'completed', output };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
const lookUp = {
  type: 'function_call',
  call_id: 'own',
  name: SEARCH,
  arguments: '{"query":"port"}',
};
const said = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'It is 8080.', annotations: [] }],
};

it('goes on where the provider has answered the calls beside ours itself', async () => {
  const call = { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } };
  const output = { type: 'shell_call_output', call_id: 'c', output: [] };
  answers.push(whole([call, output, lookUp]), whole([said]));
  expect((await ask('responses', false)).text).toContain('8080');
  expect(asked).toBe(2);
});

it('leaves a search for tools beside ours to the client', async () => {
  const call = { type: 'tool_search_call', execution: 'client', call_id: 'c', arguments: {} };
  answers.push(whole([call, lookUp]), whole([said]));
  const { text } = await ask('responses', false);
  expect(text).toContain('tool_search_call');
  expect(text).not.toContain(SEARCH);
  expect(asked).toBe(1);
});
