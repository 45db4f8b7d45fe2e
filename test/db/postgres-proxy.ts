import { connect, createServer, type Server, type Socket } from 'node:net';

/** Where a connection is cut: when the client sends bytes that contain the text. */
type Cut = {
  text: string;
  /** Whether the server still gets those bytes; the client hears of nothing any more. */
  isDelivered: boolean;
};

/** Stands between a client and a server, and breaks one connection at a chosen moment, or stills all. */
export class CuttingProxy {
  /** While true, what either side sends is lost. */
  isSilent = false;
  #isStalled = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut: Cut | null = null;

  private constructor(target: URL) {
    this.#server = createServer((client) => this.#relay(client, target));
  }

  /** Answers the proxy and the URL that leads through it. */
  static async before(url: string): Promise<{ proxy: CuttingProxy; url: string }> {
    const target = new URL(url);
    const proxy = new CuttingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    const address = proxy.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was given');
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(address.port);
    return { proxy, url: through.href };
  }

  /** Cuts the next connection that sends the text, once. */
  cutAt(cut: Cut): void {
    this.#cut = cut;
  }

  /** Holds back what either side sends, as a network does that drops packets: they are sent again. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Passes on what was held back, and what comes. */
  goOn(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client: Socket, target: URL): void {
    const server = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.end();
      });
    }
    server.on('data', (bytes) => {
      if (!this.isSilent) client.write(bytes);
    });
    if (this.#isStalled) setImmediate(() => [client, server].map((socket) => socket.pause()));
    client.on('data', (bytes) => {
      if (this.isSilent) return;
      const cut = this.#cut;
      if (!cut || !bytes.includes(cut.text)) {
        server.write(bytes);
        return;
      }
      this.#cut = null;
      server.removeAllListeners('data').resume();
      server.end(cut.isDelivered ? bytes : '');
      client.destroy();
    });
  }
}
