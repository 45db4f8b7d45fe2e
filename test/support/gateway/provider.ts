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
import { isJsonObject, type Json, type JsonObject } from '../../../src/domain/json.ts';
import { ruleProblems } from '../foreign/context-rules.ts';
import { close, listen } from '../listening.ts';
import { bodyOf, eventsOf, responseItems, type Said } from './provider-answers.ts';
import { StoredResponses } from './stored-responses.ts';
import { Thoughts, wantsThoughts } from './thoughts.ts';

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
export type Trouble =
  | 'rate_limit'
  | 'error'
  | 'overloaded'
  | 'cut'
  /** It begins to answer, and says no more. */
  | 'stall'
  /** It answers a little at a time. */
  | 'slow'
  | 'hang'
  | 'too_long'
  /** Said behind a status of 200. */
  | 'too_long_after_all'
  | 'redirect'
  | 'refuse'
  /** With more words than anybody reads. */
  | 'refuse_at_length';

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
  /** Requests whose client went away before they were answered. */
  abandoned = 0;
  /** What was wrong with the requests so far; a test that passes has none. */
  readonly invalid: string[] = [];
  /** Used up one after the other, before the script is asked. */
  readonly troubles: Trouble[] = [];
  /** In tokens, as it counts them. */
  window = Number.POSITIVE_INFINITY;
  /** What it says of tools, with this status; null: it takes them. */
  refusesTools: { status: number; message: string } | null = null;
  script: Script = () => ({ text: 'Done.' });
  /** Bodies that it answers with word for word, one after the other, before the script is asked. */
  readonly verbatim: object[] = [];
  /** What it waits for before it answers; null: nothing. */
  held: Promise<void> | null = null;
  url = '';
  #turns = 0;
  readonly #thoughts = new Thoughts();
  readonly #stored = new StoredResponses();
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
    response.once('close', () => {
      if (!response.writableFinished) this.abandoned += 1;
    });
    const unknown = received.protocol === 'responses' ? this.#stored.resolve(received) : null;
    this.received.push(received);
    const { protocol, body, tokens } = received;
    await this.held;
    const trouble = this.troubles.shift();
    if (trouble !== undefined) return fail(response, trouble, received, this.window);
    if (protocol === null) return json(response, 200, { object: 'other', path: received.url });
    if (unknown !== null) return notFound(response, unknown);
    const { history } = received;
    const format = formatOf(protocol);
    if (protocol === 'responses') this.invalid.push(...this.#stored.problems(history));
    this.invalid.push(
      ...codecFor(format).violations(history),
      ...ruleProblems(format, history, { isConverted: false }),
      ...this.#thoughts.problems(protocol, history),
    );
    if (this.refusesTools !== null && body.tools !== undefined) {
      const { status, message } = this.refusesTools;
      return json(response, status, { error: { message, type: 'api_error' } });
    }
    if (tokens > this.window) return fail(response, 'too_long', received, this.window);
    const verbatim = this.verbatim.shift();
    if (verbatim !== undefined) return json(response, 200, verbatim);
    const index = this.#turns;
    this.#turns += 1;
    const id = String(index).padStart(6, '0');
    const script = this.script(received, index);
    const isSealed = JSON.stringify(body.include ?? []).includes('reasoning.encrypted_content');
    const said: Said = wantsThoughts(protocol, body)
      ? { thought: `Thought ${id}.`, isSealed, ...script }
      : script;
    if (said.thought !== undefined) {
      this.#thoughts.noteAnswer(said.thought, said.calls ?? [], `msg_${id}`);
    }
    if (protocol === 'responses') {
      this.#stored.note(`resp_${id}`, history, responseItems(id, said), body.store !== false);
    }
    const figures = { input: tokens, output: Math.ceil(JSON.stringify(said).length / 4) };
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
  const plain = plainOf(raw, request.headers['content-encoding']);
  const parsed: unknown = plain.length === 0 ? {} : JSON.parse(plain.toString('utf8'));
  const body = isJsonObject(parsed) ? parsed : {};
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/^.*?\/v1/, '');
  const protocol = protocolOf(path);
  const history = protocol === null ? [] : body[historyField(protocol)];
  const isText = typeof history === 'string';
  const items: Json = isText ? [{ role: 'user', content: history }] : (history ?? null);
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    raw,
    body,
    protocol,
    history: Array.isArray(items) ? items.filter(isJsonObject) : [],
    tokens: Math.ceil(plain.length / CHARACTERS_PER_TOKEN),
  };
}

function plainOf(raw: Buffer, coding: string | undefined): Buffer {
  switch (coding) {
    case 'gzip':
      return zlib.gunzipSync(raw);
    case 'br':
      return zlib.brotliDecompressSync(raw);
    // Older ones cannot read it.
    case 'zstd':
      return Buffer.from('{}');
    default:
      return raw;
  }
}

function notFound(response: ServerResponse, message: string): void {
  const error = { message, type: 'invalid_request_error', param: null, code: 'not_found' };
  json(response, 400, { error });
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
    case 'overloaded':
      error(529, 'overloaded_error', 'everybody asks');
      break;
    case 'refuse':
      error(400, 'invalid_request_error', 'unknown parameter');
      break;
    case 'refuse_at_length':
      error(400, 'invalid_request_error', `${LENGTHY}prompt is too long`);
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
    case 'too_long_after_all':
      tooLongAfterAll(response, protocol ?? 'chat', body.stream === true);
      break;
    case 'redirect':
      response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' });
      response.end();
      break;
    case 'cut':
    case 'stall':
    case 'slow': {
      const said = { text: 'This answer breaks off in the middle of what it has to say.' };
      const events = eventsOf(protocol ?? 'chat', trouble, said, { input: tokens, output: 9 });
      response.writeHead(200, {
        'content-type': body.stream === true ? 'text/event-stream' : 'application/json',
      });
      if (trouble === 'slow') {
        slowly(response, events);
        break;
      }
      for (const event of events.slice(0, 5)) response.write(event);
      if (trouble === 'cut') setImmediate(() => response.destroy());
      break;
    }
    case 'hang':
      break;
    default:
      trouble satisfies never;
  }
}

export const LENGTHY = 'This parameter is not known, nor is the next. '.repeat(20_000);
const PAUSE_MS = 30;

function slowly(response: ServerResponse, [event, ...rest]: readonly string[]): void {
  if (event === undefined) {
    response.end();
    return;
  }
  response.write(event);
  setTimeout(() => slowly(response, rest), PAUSE_MS);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_scripted' });
  response.end(JSON.stringify(body));
}

/** As providers say it that have begun to answer already. */
function tooLongAfterAll(response: ServerResponse, protocol: Protocol, isStream: boolean): void {
  const code = 'context_length_exceeded';
  const message = 'Your input exceeds the context window of this model.';
  const failed = { object: 'response', status: 'failed', error: { code, message }, output: [] };
  if (!isStream) {
    json(response, 200, protocol === 'responses' ? failed : { error: { code, message } });
    return;
  }
  const created = { ...failed, status: 'in_progress', error: null };
  const events = {
    messages: [
      { type: 'ping' },
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long' } },
    ],
    chat: [{ error: { code, message } }],
    responses: [
      { type: 'response.created', response: created },
      { type: 'response.in_progress', response: created },
      { type: 'response.failed', response: failed },
    ],
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events[protocol]) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
}
