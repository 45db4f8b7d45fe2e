import { z } from 'zod';
import type { EventStore } from '../app/ports/event-store.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { World } from '../domain/session/world.ts';
import { MOST_OF_FOREIGN, plainLine } from './terminal/plain-text.ts';

/** What a command talks to: the REST API, over a socket or in this process. */
export type Target = {
  request: (path: string, init?: RequestInit) => Promise<Response>;
  /** Where that is, for people: an address, or the store. */
  place: string;
  /** The store behind it, which exports are restored into; null over a socket. */
  local: {
    store: EventStore;
    server: World['server'];
    /** Runs a compaction here that was requested by others, who may be gone. */
    takeUp: (session_id: string, compaction_id: string) => void;
  } | null;
  close: () => Promise<void>;
};

/** The API at `url`; `PALIMPSEST_API_KEY` in the environment is sent as bearer key. Throws SettingsError. */
export function remoteTarget(url: string): Target {
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new SettingsError(
      '--url (or PALIMPSEST_URL): write the address of the service, such as http://127.0.0.1:8787',
    );
  }
  const base = url.replace(/\/+$/, '');
  const { origin, pathname } = new URL(base);
  // With its path, which is what is wrong where somebody names the address of a page.
  const place = origin + pathname.replace(/\/+$/, '');
  const key = process.env.PALIMPSEST_API_KEY;
  return {
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (key) headers.set('authorization', `Bearer ${key}`);
      try {
        return await fetch(base + path, { ...init, headers });
      } catch (error) {
        throw new TargetError(
          `the service at ${place} cannot be reached${reasonOf(error)}: check --url (or ` +
            'PALIMPSEST_URL), and start the service with "palimpsest serve" if it is not running',
          { cause: error },
        );
      }
    },
    place,
    local: null,
    close: async () => {},
  };
}

/** The system's name for what is wrong, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? ` (${code})` : '';
}

/** Something that a command cannot do, such as what the API refuses, in words for people. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

const problemSchema = z.object({
  type: z.string().optional(),
  detail: z.string().optional(),
  title: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
type Problem = z.infer<typeof problemSchema>;

/** What the text of a refusal says; null when it is no problem as the API has them. */
export function problemIn(text: string): Problem | null {
  return problemSchema.safeParse(safeJson(text)).data ?? null;
}

/** A refusal in the API's own words. */
export function refusal(status: number, text: string): TargetError {
  const problem = problemIn(text);
  const first = problem?.errors?.[0];
  const detail = problem?.detail ?? problem?.title ?? plainLine(text, MOST_OF_FOREIGN);
  const isSaid = first === undefined || detail.includes(first.message);
  return new TargetError(
    `${status}: ${detail}${isSaid ? '' : ` (${first.path}: ${first.message})`}`,
  );
}

/** The JSON body of an answer; throws TargetError with the problem's detail when it is a refusal. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  throw refusal(response.status, text);
}

/** The value of a JSON text; null also when it is none. */
export function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
