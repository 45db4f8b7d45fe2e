import {
  type ClientOptions,
  createClient,
  type PalimpsestClient,
  ProblemError,
  type Synced,
} from '../client/client.ts';

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
export type ContextItem = Synced['context']['items'][number];

/** Who is away for longer is done without. */
const PATIENCE = { retries: 1 };

/**
 * A conversation that is synced before each call. `contextOf` answers what to send for the whole history,
 * and null when the service cannot be asked: the history is sent as it is then.
 */
export function conversation(options: AdapterOptions, format: Format) {
  const { session: id, contextWindow, model, onError, client = createClient(options) } = options;
  let created: Promise<void> | null = null;

  /** The settings hold from the first item on; a session that is there keeps its own. */
  async function create(modelOfCall: string | undefined): Promise<void> {
    const name = model ?? modelOfCall;
    try {
      await client.createSession({
        body: {
          id,
          format,
          ...(name !== undefined && { model: name }),
          ...(contextWindow !== undefined && { context_window: contextWindow }),
        },
      });
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'session_exists') throw error;
    }
  }

  return {
    client,
    /** The next call begins anew. */
    erase: async (): Promise<void> => {
      created = null;
      await client.eraseSession({ id }).catch((error: unknown) => onError?.(error));
    },
    contextOf: async (
      items: object[],
      call: { model?: string | undefined; signal?: AbortSignal | undefined } = {},
    ): Promise<ContextItem[] | null> => {
      if (items.length === 0) return null;
      const { signal } = call;
      try {
        created ??= create(call.model);
        await created;
        const body = { items, format, wait: 'compaction' as const };
        const { context } = await client.syncSession({ id, body }, { ...PATIENCE, signal });
        return context.items;
      } catch (error) {
        created = null;
        signal?.throwIfAborted();
        onError?.(error);
        return null;
      }
    },
  };
}

/** One text for one value, in whichever order its keys come. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The text of a content that is a string or blocks. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((block) =>
    isRecord(block) && typeof block.text === 'string' ? block.text : '',
  );
  return texts.filter((text) => text !== '').join('\n');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
