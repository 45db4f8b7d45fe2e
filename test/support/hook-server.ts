import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '../../src/domain/json.ts';
import type { HookEvent, HookSettings } from '../../src/workers/hooks/hook-settings.ts';
import { close, listen } from './listening.ts';

export const HOOK_SECRET = 'a-secret-of-the-tests';

export type HookRequest = {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  raw: string;
  body: JsonObject;
};

/** Answers one request; what it does not end hangs until the server closes. */
export type HookBehaviour = (response: ServerResponse, request: HookRequest) => void;

export const replies =
  (json: Json): HookBehaviour =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));

export const says =
  (text: string): HookBehaviour =>
  (response) =>
    response.end(text);

export const fails =
  (status: number, headers: Record<string, string> = {}): HookBehaviour =>
  (response) =>
    response.writeHead(status, headers).end('the words of the hook');

export const hangs: HookBehaviour = () => {};

export const breaksOff: HookBehaviour = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"items"', () => response.destroy());
};

/**
 * A receiver of webhooks for tests: a real HTTP server on a free port of 127.0.0.1. Requests to a path
 * take the next behaviour of its script; without one they are answered with 204.
 */
export class HookServer {
  readonly requests: HookRequest[] = [];
  readonly #scripts = new Map<string, HookBehaviour[]>();
  readonly #server: Server;
  #origin = '';
  #waiters: { count: number; resolve: () => void }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const body: unknown = JSON.parse(raw);
        if (!isJsonObject(body)) throw new Error('a hook was sent no JSON object');
        const { method, url: path, headers } = request;
        this.#take({ method, path, headers, raw, body }, response);
      });
    });
  }

  static async start(): Promise<HookServer> {
    const hooks = new HookServer();
    hooks.#origin = await listen(hooks.#server);
    return hooks;
  }

  /** A hook of this server; its path is its name. */
  hook(
    event: HookEvent,
    script: HookBehaviour[] = [],
    overrides: Partial<HookSettings> = {},
  ): HookSettings {
    const name = overrides.name ?? event;
    const url = `${this.#origin}/${name}`;
    this.#scripts.set(`/${name}`, [...script]);
    return {
      name,
      event,
      url,
      secret: HOOK_SECRET,
      required: false,
      timeout_seconds: 10,
      ...overrides,
    };
  }

  /** The bodies that the hook of this name was sent. */
  bodies(name: string): JsonObject[] {
    return this.requests.filter(({ path }) => path === `/${name}`).map(({ body }) => body);
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

  #take(request: HookRequest, response: ServerResponse): void {
    this.requests.push(request);
    const answer = this.#scripts.get(request.path ?? '')?.shift();
    for (const waiter of this.#waiters) if (this.requests.length >= waiter.count) waiter.resolve();
    this.#waiters = this.#waiters.filter((waiter) => this.requests.length < waiter.count);
    if (answer === undefined) response.writeHead(204).end();
    else answer(response, request);
  }
}
