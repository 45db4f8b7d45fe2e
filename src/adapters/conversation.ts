import {
  type ClientOptions,
  createClient,
  type PalimpsestClient,
  ProblemError,
  type Synced,
} from '../client/client.ts';
import { tokensOf } from './content.ts';
import { placesOf } from './places.ts';
import { unlessAborted } from './unless-aborted.ts';

/** What every adapter takes. */
export type AdapterOptions = Omit<ClientOptions, 'fetch'> & {
  /** Id of the conversation: the same one continues it, also from another process. */
  session: string;
  /** Tokens of the model's window; by default that of `model`, which the service knows by name. */
  contextWindow?: number | undefined;
  model?: string | undefined;
  /** In place of a client for `url` and `key`, such as that of `palimpsest/in-process`. */
  client?: PalimpsestClient | undefined;
  /** Told why a call went out with the messages as they were; by default nobody is. */
  onError?: ((error: unknown) => void) | undefined;
};

type Format = NonNullable<Synced['context']['format']>;

/** Who is away for longer is done without. */
const PATIENCE = { retries: 1 };

/** Most of what the service does not count comes with each item: there will be more of them. */
const GROWTH = 1.25;

/**
 * What to send for a history. `counted` takes the provider's figure for the input of the very call that comes
 * of it: others may be under way in the same conversation.
 */
type Answer<M> = { messages: M[]; counted: (input: unknown) => void };

/** Of one call. `besides` is what the request holds beside its messages, such as instructions and tools. */
type Call<M> = {
  /**
   * The messages of an item of the context, as the framework has them. `place` is where in the history it
   * is as it was; null for what a compaction has made or changed.
   */
  messagesOf: (item: Record<string, unknown>, place: number | null) => M[];
  /** What of a message goes over the line; by default all that it holds. */
  sent?: (message: M) => unknown;
  besides?: unknown;
  model?: string | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * A conversation that is synced before each call. `contextOf` answers what to send for the whole history,
 * and null when the service cannot be asked: the history is sent as it is then. What a request needs beyond
 * the count of the context is kept free in the window (decision 0049).
 */
export function conversation(options: AdapterOptions, format: Format) {
  const { session: id, contextWindow, model, onError, client = createClient(options) } = options;
  /** Where the history went on that had another past. */
  const forks = new Set<string>();
  let created: Promise<void> | null = null;
  let overhead = 0;

  /** The settings hold from the first item on; a session that is there keeps its own. */
  async function create(modelOfCall: string | undefined): Promise<void> {
    const name = model ?? modelOfCall;
    try {
      const body = {
        id,
        format,
        ...(name !== undefined && { model: name }),
        ...(contextWindow !== undefined && { context_window: contextWindow }),
      };
      await client.createSession({ body }, PATIENCE);
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'session_exists') throw error;
    }
  }

  /** Whether more has to be kept free than was asked for until now. */
  function learn(tokens: number): boolean {
    if (tokens <= overhead) return false;
    overhead = Math.ceil(tokens * GROWTH);
    return true;
  }

  async function synced<M>(items: object[], call: Call<M>): Promise<Answer<M>> {
    const { messagesOf, sent = (message) => message, besides, signal } = call;
    let given = 0;
    const sync = async () => {
      const more = overhead === 0 ? {} : { overhead };
      const body = { items, format, wait: 'compaction' as const, ...more };
      const synced = await client.syncSession({ id, body }, { ...PATIENCE, signal });
      const { context, session_id } = synced;
      if (session_id !== id) forks.add(session_id);
      given = context.tokens;
      const said = context.items.map(({ item }) => item);
      const places = placesOf(said, items);
      return said.flatMap((item, index) => messagesOf(item, places[index] ?? null));
    };
    const fixed = tokensOf(besides);
    learn(fixed);
    const first = await sync();
    const isLess = learn(fixed + tokensOf(first.map(sent)) - given);
    const messages = isLess ? await sync() : first;
    const counted = (input: unknown) => {
      if (typeof input === 'number') learn(input - given);
    };
    return { messages, counted };
  }

  return {
    client,
    /** With its forks; the next call begins anew. */
    erase: async (): Promise<void> => {
      created = null;
      for (const each of [...forks, id]) {
        await client.eraseSession({ id: each }).catch((error: unknown) => onError?.(error));
      }
      forks.clear();
    },
    contextOf: async <M>(items: object[], call: Call<M>): Promise<Answer<M> | null> => {
      if (items.length === 0) return null;
      try {
        created ??= create(call.model);
        await unlessAborted(created, call.signal);
        return await synced(items, call);
      } catch (error) {
        created = null;
        call.signal?.throwIfAborted();
        onError?.(error);
        return null;
      }
    },
  };
}
