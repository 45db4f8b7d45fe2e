import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiReply, type ApiServer, SMALL_WINDOW, send } from './api-server.ts';
import { assistant, attachment, ofTokens, tool, user } from './items.ts';

/** Keeps every tool result that `create` makes. */
export const CLEARS_NOTHING = { micro_compact_keep_last_n_tools: 6 };

/** Sessions of an API under test in which there is something to compact. */
export class Conversations {
  readonly #api: () => ApiServer;
  #count = 0;

  /** `api`: asked for at every call, since tests start it after they are declared. */
  constructor(api: () => ApiServer) {
    this.#api = api;
  }

  /** A new session with old tool results and enough talk for a summary; answers its id. */
  create = async (config: JsonObject = {}): Promise<string> => {
    this.#count += 1;
    const id = `s${this.#count}`;
    await send(this.#api(), 'POST', '/sessions', {
      body: { id, context_window: SMALL_WINDOW, config, initial_context: [user('Rules.')] },
    });
    const reads = Array.from({ length: 6 }, (_, i) =>
      tool(`c${i}`, 'Read', 800, { path: `src/f${i}.ts` }),
    ).flat();
    const talk = Array.from({ length: 4 }, (_, i) => [
      user(`Question ${i}: ${ofTokens(50)}`),
      assistant(`Answer ${i}: ${ofTokens(50)}`),
    ]).flat();
    const items = [user('Read the files.'), attachment('todo', 'ship it'), ...reads, ...talk];
    await send(this.#api(), 'POST', `/sessions/${id}/items`, { body: items });
    return id;
  };

  compact = (
    id: string,
    body: JsonObject = {},
    headers: Record<string, string> = {},
  ): Promise<ApiReply> => send(this.#api(), 'POST', `/sessions/${id}/compact`, { body, headers });

  /** Requests a compaction and runs its job; answers the compaction's id. */
  compacted = async (id: string, body: JsonObject): Promise<string> => {
    const reply = await this.compact(id, body);
    await this.#api().work(this.#api().dispatched.at(-1));
    return String(reply.body.id);
  };
}
