import { z } from 'zod';
import { quantity } from '../quantity.ts';
import type { Address } from './launch.ts';

const page = z.object({ data: z.array(z.object({ id: z.string(), updated_at: z.string() })) });
const cost = z.object({ calls: z.int(), compactions: z.int(), saved_tokens: z.int() });

/** What the sessions of a service have come to, newest first: the figures of `GET …/cost`, summed up. */
type Tally = z.infer<typeof cost> & { sessions: string[] };

/** The newest sessions are looked at; a run rarely has more. */
const MOST_SESSIONS = 50;

/** The sessions that changed since a time. Null when the service does not answer. */
export async function tallySince({ url, key }: Address, since: Date): Promise<Tally | null> {
  const headers = key === null ? {} : { Authorization: `Bearer ${key}` };
  const ask = async (path: string) => (await fetch(`${url}${path}`, { headers })).json();
  try {
    const { data } = page.parse(await ask(`/sessions?limit=${MOST_SESSIONS}`));
    const changed = data.filter(({ updated_at }) => Date.parse(updated_at) >= since.getTime());
    const costs = await Promise.all(
      changed.map(async ({ id }) =>
        cost.parse(await ask(`/sessions/${encodeURIComponent(id)}/cost`)),
      ),
    );
    const sessions = changed.map(({ id }) => id);
    return costs.reduce<Tally>(
      (sum, one) => ({
        sessions,
        calls: sum.calls + one.calls,
        compactions: sum.compactions + one.compactions,
        saved_tokens: sum.saved_tokens + one.saved_tokens,
      }),
      { sessions, calls: 0, compactions: 0, saved_tokens: 0 },
    );
  } catch {
    return null;
  }
}

type Shown = { pages: string; serve: string | null };

/** The line that a wrapped run ends with: its figures, and the page of its session, or of all of several. */
export function tallyLine(tally: Tally, { pages, serve }: Shown): string {
  const { calls, compactions, saved_tokens, sessions } = tally;
  const saved = `${saved_tokens.toLocaleString('en')} tokens saved`;
  const [only] = sessions.length === 1 ? sessions : [];
  const page = only === undefined ? '/' : `/inspect/sessions/${encodeURIComponent(only)}`;
  const look = `${serve === null ? '' : `${serve}, then `}${pages}${page}`;
  return `palimpsest: ${quantity(calls, 'turn')}, ${quantity(compactions, 'compaction')}, ${saved}; look: ${look}`;
}
