import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import { close, listen } from './listening.ts';
import { answer, type Behaviour } from './scripted-model/behaviour.ts';
import {
  compactionBody,
  compactionEvents,
  compactionForm,
  plausibleCompaction,
} from './scripted-model/compaction.ts';
import { plausibleSummary } from './scripted-model/plausible-summary.ts';
import {
  openaiResponses,
  PROTOCOLS,
  type Protocol,
  type Tokens,
} from './scripted-model/protocols.ts';

export type RecordedRequest = { path: string; headers: IncomingHttpHeaders; body: JsonObject };

/** Small enough that even short texts come in several chunks, and long ones in not too many. */
const CHUNK_CHARACTERS = 24;
const MOST_CHUNKS = 2_000;

/**
 * A model provider for tests: a real HTTP server on a free port of 127.0.0.1 that speaks OpenAI chat
 * completions, OpenAI Responses and Anthropic messages, streamed or not. Each request takes the next
 * behaviour of the script; when the script is empty, a nine-section summary is made from the request.
 * Requests for a compaction (the endpoint, and a response with the trigger item) are answered by the
 * user's messages and one opaque item.
 */
export class ScriptedModelServer {
  readonly requests: RecordedRequest[] = [];
  readonly #script: Behaviour[] = [];
  readonly #server: Server;
  #origin = '';
  #waiters: { count: number; resolve: () => void }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        // A request that the server cannot read is a mistake of the test: say so instead of hanging.
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  static async start(...script: Behaviour[]): Promise<ScriptedModelServer> {
    const scripted = new ScriptedModelServer();
    scripted.script(...script);
    scripted.#origin = await listen(scripted.#server);
    return scripted;
  }

  /** Adds behaviours for the requests to come. */
  script(...behaviours: Behaviour[]): void {
    this.#script.push(...behaviours);
  }

  /** Drops what no request has taken: it would answer those of the next test. */
  forget(): void {
    this.#script.length = 0;
  }

  /** For `OPENAI_BASE_URL` and those of the compatible providers. */
  get openaiUrl(): string {
    return `${this.#origin}/v1`;
  }

  /** For `ANTHROPIC_BASE_URL`. */
  get anthropicUrl(): string {
    return this.#origin;
  }

  /** Resolves when this many requests have arrived in all. */
  async received(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
  }

  /** Ends the server and every open connection, hanging ones included. */
  close(): Promise<void> {
    return close(this.#server);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.#origin).pathname;
    const body = await readBody(request);
    this.requests.push({ path, headers: request.headers, body });
    for (const waiter of this.#waiters) if (this.requests.length >= waiter.count) waiter.resolve();
    this.#waiters = this.#waiters.filter((waiter) => this.requests.length < waiter.count);
    if (compactionForm(path, body) !== null) {
      await compact(this.#script.shift() ?? plausibleCompaction(body), path, body, response);
      return;
    }
    const protocol = PROTOCOLS.find((candidate) => candidate.path === path);
    if (protocol === undefined) {
      sendJson(response, 404, { error: { message: `no such endpoint: ${path}` } });
      return;
    }
    const behaviour = this.#script.shift() ?? answer(plausibleSummary(requestText(body)));
    await behave(protocol, behaviour, body, response);
  }
}

async function behave(
  protocol: Protocol,
  behaviour: Behaviour,
  body: JsonObject,
  response: ServerResponse,
): Promise<void> {
  switch (behaviour.kind) {
    case 'hang':
      return;
    case 'status':
      // The message quotes the request, as real providers do: it must never reach a log or an event.
      sendJson(
        response,
        behaviour.status,
        protocol.error(behaviour.status, `scripted failure for ${requestText(body)}`),
        behaviour.headers,
      );
      return;
    case 'too_long':
      sendJson(response, protocol.tooLong.status, protocol.tooLong.body);
      return;
    case 'compaction':
      throw new Error('a compaction was scripted for a request that asks for none');
    default:
      if (body.stream === true) await sendStream(protocol, behaviour, body, response);
      else await sendWhole(protocol, behaviour, body, response);
  }
}

/** Answers a request for a compaction in the form that it asks for. */
async function compact(
  behaviour: Behaviour,
  path: string,
  body: JsonObject,
  response: ServerResponse,
): Promise<void> {
  const isWhole = compactionForm(path, body) === 'endpoint';
  switch (behaviour.kind) {
    case 'compaction': {
      const tokens = tokensOf(body, JSON.stringify(behaviour.output));
      if (isWhole) return sendJson(response, 200, compactionBody(behaviour.output, tokens));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await send(response, compactionEvents(behaviour.output, tokens));
      response.end();
      return;
    }
    case 'cut':
    case 'unfinished': {
      // Of an answer that comes whole nothing has come when it breaks.
      if (!isWhole) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        await send(response, compactionEvents([], tokensOf(body, '')).slice(0, -1));
      }
      if (isWhole || behaviour.kind === 'cut') response.destroy();
      else response.end();
      return;
    }
    default:
      // The rest is the same whatever was asked.
      await behave(openaiResponses, behaviour, body, response);
  }
}

type Spoken = Exclude<Behaviour, { kind: 'hang' | 'status' | 'too_long' | 'compaction' }>;

async function sendStream(
  protocol: Protocol,
  behaviour: Spoken,
  body: JsonObject,
  response: ServerResponse,
): Promise<void> {
  const text = textOf(behaviour);
  const tokens = tokensOf(body, text);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await send(response, protocol.opening(modelOf(body), tokens));
  for (const [index, chunk] of chunksOf(text).entries()) {
    if (behaviour.kind === 'cut' && index >= behaviour.afterChunks) break;
    await send(response, [protocol.delta(chunk)]);
    if (behaviour.kind === 'slow' && index === 0) await behaviour.gate;
  }
  switch (behaviour.kind) {
    case 'cut':
      response.destroy();
      return;
    case 'stream_error':
      await send(response, [protocol.streamError]);
      break;
    case 'unfinished':
      await send(response, protocol.bareEnd);
      break;
    case 'answer':
    case 'slow':
    case 'truncated':
      await send(
        response,
        protocol.closing(behaviour.kind === 'truncated' ? 'length' : 'stop', tokens),
      );
      break;
    default:
      behaviour satisfies never;
  }
  response.end();
}

async function sendWhole(
  protocol: Protocol,
  behaviour: Spoken,
  body: JsonObject,
  response: ServerResponse,
): Promise<void> {
  if (behaviour.kind === 'slow') await behaviour.gate;
  if (behaviour.kind === 'cut') {
    response.destroy();
    return;
  }
  const text = textOf(behaviour);
  sendJson(response, 200, protocol.whole(modelOf(body), text, tokensOf(body, text)));
}

/** Waits until the bytes have left, so that a cut comes after what was sent before it. */
async function send(response: ServerResponse, events: string[]): Promise<void> {
  for (const event of events) {
    // A client that went away gives an error here; what it misses is of no interest.
    await new Promise<void>((resolve) => response.write(event, () => resolve()));
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function textOf(behaviour: Spoken): string {
  return behaviour.kind === 'stream_error' ? 'The beginning of an answer.' : behaviour.text;
}

function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  const size = Math.max(CHUNK_CHARACTERS, Math.ceil(text.length / MOST_CHUNKS));
  for (let i = 0; i < text.length; i += size) chunks.push(text.slice(i, i + size));
  return chunks;
}

/** A quarter of the input counts as read from the cache. */
function tokensOf(body: JsonObject, text: string): Tokens {
  const input = Math.ceil(requestText(body).length / 4);
  return { input, output: Math.ceil(text.length / 4), cacheRead: Math.floor(input / 4) };
}

function modelOf(body: JsonObject): string {
  return typeof body.model === 'string' ? body.model : 'scripted';
}

/** All text that the request sends to the model: every `text`, `content` or `input` string. */
function requestText(body: JsonObject): string {
  const texts: string[] = [];
  const visit = (value: Json | undefined): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) for (const element of value) visit(element);
    else if (isJsonObject(value)) {
      visit(value.text);
      visit(value.content);
    }
  };
  for (const field of ['system', 'instructions', 'messages', 'input']) visit(body[field]);
  return texts.join('\n');
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer); // no encoding is set on the request
  const json: unknown = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}');
  if (!isJsonObject(json)) throw new Error('the request body is no JSON object');
  return json;
}
