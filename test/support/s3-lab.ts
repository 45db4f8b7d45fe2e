import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import S3rver from 's3rver';

export const BUCKET = 'cold';

/** What the wire between the archive and the server does to a request. */
export type Wire =
  | { kind: 'whole' }
  /** The server, which knows keys but checks no signatures, answers with this refusal. */
  | { kind: 'refused'; code: string; message?: string }
  /** What is to be removed and is not there is an error, as it is to Google Cloud Storage. */
  | { kind: 'strict' }
  /** It comes to nobody, and stays open. */
  | { kind: 'silent' }
  /** Half of the answer comes through. */
  | { kind: 'stalled' }
  /** The server answers as one does whose bucket keeps versions. */
  | { kind: 'versions' };

/** A server of S3 with one bucket, in a folder, and a wire to it that can be in trouble. */
export class S3Lab {
  wire: Wire = { kind: 'whole' };
  /** Method and path of what was asked. */
  readonly asked: string[] = [];
  readonly #folder: string;
  readonly #server: S3rver;
  readonly #wire = createServer((asked, answer) => this.#pass(asked, answer));
  #port = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: folder,
      configureBuckets: [{ name: BUCKET }],
    });
  }

  static async start(folder: string): Promise<S3Lab> {
    const lab = new S3Lab(folder);
    lab.#port = (await lab.#server.run()).port;
    await new Promise<void>((resolve) => lab.#wire.listen(0, '127.0.0.1', resolve));
    return lab;
  }

  /** For the SDK: where the server is, and a key that it takes. */
  get environment() {
    const { port } = this.#wire.address() as AddressInfo;
    return {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    };
  }

  /** Keys of all objects. */
  keys(): string[] {
    return readdirSync(join(this.#folder, BUCKET), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length))
      .sort();
  }

  get(key: string): Buffer {
    return readFileSync(this.#path(key));
  }

  /** Past the protocol, as somebody with the disk can. */
  put(key: string, bytes: Uint8Array): void {
    writeFileSync(this.#path(key), bytes);
  }

  lose(key: string): void {
    rmSync(this.#path(key));
  }

  async stop(): Promise<void> {
    this.#wire.closeAllConnections();
    await new Promise((resolve) => this.#wire.close(resolve));
    await this.#server.close();
  }

  #path(key: string): string {
    return join(this.#folder, BUCKET, `${key}${ENDING}`);
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    this.asked.push(`${asked.method} ${asked.url}`);
    const { kind } = this.wire;
    if (kind === 'silent') return;
    const { method = '', url = '', headers } = asked;
    const refuse = (status: number, code: string, message = 'It is refused.') => {
      asked.resume();
      answer.writeHead(status, { 'content-type': 'application/xml' });
      answer.end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
    };
    if (this.wire.kind === 'refused') {
      refuse(403, this.wire.code, this.wire.message);
      return;
    }
    const isMissing = !this.keys().some((key) => url.startsWith(`/${BUCKET}/${key}`));
    if (kind === 'strict' && method === 'DELETE' && isMissing) {
      refuse(404, 'NoSuchKey');
      return;
    }
    const on = request({
      host: '127.0.0.1',
      port: this.#port,
      method,
      path: url,
      headers,
      agent: false,
    });
    on.on('error', () => answer.destroy());
    on.on('response', (response) => {
      const versions =
        kind !== 'versions'
          ? {}
          : method === 'PUT'
            ? { 'x-amz-version-id': 'v1' }
            : { 'x-amz-delete-marker': 'true' };
      answer.writeHead(response.statusCode ?? 502, { ...response.headers, ...versions });
      if (kind !== 'stalled') {
        response.pipe(answer);
        return;
      }
      response.once('data', (bytes: Buffer) => answer.write(bytes.subarray(0, bytes.length >> 1)));
    });
    asked.pipe(on);
  }
}

/** How the server names the files that objects are in. */
const ENDING = '._S3rver_object';
