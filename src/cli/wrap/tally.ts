import { z } from 'zod';
import { quantity } from '../quantity.ts';
import type { Address } from './launch.ts';

const page = z.object({
  data: z.array(z.object({ id: z.string(), created_at: z.string(), updated_at: z.string() })),
});
const cost = z.object({ calls: z.int(), compactions: z.int(), saved_tokens: z.int() });

type Cost = z.infer<typeof cost>;

/** What the sessions of a service have come to, newest first: the figures of `GET …/cost`, summed up. */
type Tally = Cost & {
  /** Newest first; where any has more turns, without those of one: there the program has asked for a title. */
  sessions: string[];
  /** One of them goes on from an earlier run, whose figures are among these. */
  isContinued: boolean;
};

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
    const most = Math.max(0, ...costs.map(({ calls }) => calls));
    const isWork = ({ calls }: Cost) => calls > 1 || most <= 1;
    const sessions = changed.flatMap(({ id }, at) => {
      const own = costs[at];
      return own !== undefined && isWork(own) ? [id] : [];
    });
    const isContinued = changed.some(({ created_at }) => Date.parse(created_at) < since.getTime());
    const sum = (figure: keyof Cost) => costs.reduce((total, one) => total + one[figure], 0);
    return {
      sessions,
      isContinued,
      calls: sum('calls'),
      compactions: sum('compactions'),
      saved_tokens: sum('saved_tokens'),
    };
  } catch {
    return null;
  }
}

type Shown = { pages: string; serve: string | null };

/** The line that a wrapped run ends with: its figures, and the page of its session, or of all of several. */
export function tallyLine(tally: Tally, { pages, serve }: Shown): string {
  const { calls, compactions, saved_tokens, sessions } = tally;
  const began = tally.isContinued ? ' since the session began' : '';
  const saved = `${saved_tokens.toLocaleString('en')} tokens saved${began}`;
  const [only] = sessions.length === 1 ? sessions : [];
  const page = only === undefined ? '/' : `/inspect/sessions/${encodeURIComponent(only)}`;
  const look = `${serve === null ? '' : `${serve}, then `}${pages}${page}`;
  return `palimpsest: ${quantity(calls, 'turn')}, ${quantity(compactions, 'compaction')}, ${saved}; look: ${look}`;
}
