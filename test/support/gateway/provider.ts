import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import zlib from 'node:zlib';
import {
  formatOf,
  historyField,
  type Protocol,
  protocolOf,
} from '../../../src/domain/gateway/protocol.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import { close, listen } from '../listening.ts';
import { bodyOf, eventsOf, type Said } from './provider-answers.ts';

/** A request as it has reached the provider. */
export type Received = {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  raw: Buffer;
  body: JsonObject;
  /** Null for what is no turn. */
  protocol: Protocol | null;
  history: Item[];
  tokens: number;
};

/** What goes wrong with the next request. */
export type Trouble = 'rate_limit' | 'error' | 'cut' | 'hang' | 'too_long' | 'redirect' | 'refuse';

/** What the model says to a request; `index` counts the turns from 0. */
export type Script = (received: Received, index: number) => Said;

const CHARACTERS_PER_TOKEN = 4;

/**
 * A provider of models that speaks the three protocols, streams, counts what it was sent, refuses what
 * does not fit its window as the real ones do, and fails on request. What breaks a rule of its protocol
 * stands in `invalid`.
 */
export class ScriptedProvider {
  readonly received: Received[] = [];
  /** What was wrong with the requests so far; a test that passes has none. */
  readonly invalid: string[] = [];
  /** Used up one after the other, before the script is asked. */
  readonly troubles: Trouble[] = [];
  /** In tokens, as it counts them. */
  window = Number.POSITIVE_INFINITY;
  script: Script = () => ({ text: 'Done.' });
  url = '';
  #turns = 0;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<ScriptedProvider> {
    const provider = new ScriptedProvider();
    provider.url = await listen(provider.#server);
    return provider;
  }

  close(): Promise<void> {
    return close(this.#server);
  }

  get turns(): Received[] {
    return this.received.filter(({ protocol }) => protocol !== null);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await read(request);
    this.received.push(received);
    const { protocol, body, tokens } = received;
    const trouble = this.troubles.shift();
    if (trouble !== undefined) return fail(response, trouble, received, this.window);
    if (protocol === null) return json(response, 200, { object: 'other', path: received.url });
    const codec = codecFor(formatOf(protocol));
    this.invalid.push(...codec.violations(received.history));
    if (tokens > this.window) return fail(response, 'too_long', received, this.window);
    const index = this.#turns;
    this.#turns += 1;
    const said = this.script(received, index);
    const figures = { input: tokens, output: Math.ceil(JSON.stringify(said).length / 4) };
    const id = String(index).padStart(6, '0');
    if (body.stream !== true) return json(response, 200, bodyOf(protocol, id, said, figures));
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of eventsOf(protocol, id, said, figures)) response.write(event);
    response.end();
  }
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const raw = Buffer.concat(chunks);
  const plain = request.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(raw) : raw;
  const parsed: unknown = plain.length === 0 ? {} : JSON.parse(plain.toString('utf8'));
  const body = isJsonObject(parsed) ? parsed : {};
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/^.*?\/v1/, '');
  const protocol = protocolOf(path);
  const history = protocol === null ? [] : body[historyField(protocol)];
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    raw,
    body,
    protocol,
    history: Array.isArray(history) ? history.filter(isJsonObject) : [],
    tokens: Math.ceil(plain.length / CHARACTERS_PER_TOKEN),
  };
}

function fail(
  response: ServerResponse,
  trouble: Trouble,
  { protocol, body, tokens }: Received,
  window: number,
): void {
  const isAnthropic = protocol === 'messages';
  const error = (status: number, type: string, message: string, code: string | null = null) =>
    json(
      response,
      status,
      isAnthropic
        ? { type: 'error', error: { type, message } }
        : { error: { message, type, param: null, code } },
    );
  switch (trouble) {
    case 'rate_limit':
      response.setHeader('retry-after', '0');
      error(429, 'rate_limit_error', 'slow down');
      break;
    case 'error':
      error(500, isAnthropic ? 'api_error' : 'server_error', 'something broke');
      break;
    case 'refuse':
      error(400, 'invalid_request_error', 'unknown parameter');
      break;
    case 'too_long':
      if (isAnthropic)
        error(
          400,
          'invalid_request_error',
          `prompt is too long: ${tokens} tokens > ${window} maximum`,
        );
      else
        error(
          400,
          'invalid_request_error',
          'Your input exceeds the context window of this model.',
          'context_length_exceeded',
        );
      break;
    case 'redirect':
      response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' });
      response.end();
      break;
    case 'cut': {
      const said = { text: 'This answer breaks off in the middle of what it has to say.' };
      const events = eventsOf(protocol ?? 'chat', 'cut', said, { input: tokens, output: 9 });
      response.writeHead(200, {
        'content-type': body.stream === true ? 'text/event-stream' : 'application/json',
      });
      for (const event of events.slice(0, 5)) response.write(event);
      setImmediate(() => response.destroy());
      break;
    }
    case 'hang':
      break;
    default:
      trouble satisfies never;
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_scripted' });
  response.end(JSON.stringify(body));
}
