import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { sessionOverview } from '../../app/session-overview.ts';
import { counted } from '../../domain/counted.ts';
import { parseInput } from '../http/validation.ts';
import { pageQuery } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { BASE } from './assets.ts';
import { Layout } from './layout.tsx';
import { answered, html, type Site } from './page.tsx';
import { count, short, When } from './parts/figures.tsx';
import { Meter } from './parts/meter.tsx';
import { originWords } from './parts/origin.ts';
import { Pager } from './parts/pager.tsx';
import { OutcomeTag } from './parts/tags.tsx';
import { compactionPath, sessionPath, withQuery } from './paths.ts';
import { Start } from './start.tsx';

const PER_PAGE = 25;
const query = z.object({ cursor: pageQuery.shape.cursor });

type Row = Awaited<ReturnType<typeof sessionOverview>>['data'][number];

/** The list of sessions: `/`, for those who ask for a page. */
export function sessionsPage(site: Site, c: Context): Promise<Response> {
  return answered(site, c, 'get', async (visitor) => {
    const { cursor } = parseInput(query, c.req.query(), 'the query');
    const { data, next_cursor } = await sessionOverview(site.api.deps, visitor.tenant, {
      limit: PER_PAGE,
      cursor,
    });
    const origin = new URL(c.req.url).origin;
    if (data.length === 0 && cursor === undefined) {
      return html(<Start visitor={visitor} origin={origin} />);
    }
    return html(<Sessions visitor={visitor} rows={data} next={next_cursor} cursor={cursor} />);
  });
}

function Sessions({
  visitor,
  rows,
  next,
  cursor,
}: {
  visitor: Visitor;
  rows: readonly Row[];
  next: string | null;
  cursor: string | undefined;
}) {
  return (
    <Layout title="Sessions" visitor={visitor} hasFind={false}>
      <div class="head">
        <h1>Sessions</h1>
        <form class="search" action={`${BASE}/search`}>
          <label for="q">Search everything that was ever said</label>
          <div class="row">
            <input
              id="q"
              type="search"
              name="q"
              required
              maxlength={500}
              placeholder={'a file name, an error, "a phrase"'}
            />
            <button type="submit">Search</button>
          </div>
        </form>
      </div>
      <table class="list">
        <caption class="hidden">Sessions, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Context now</th>
            <th scope="col">State</th>
            <th scope="col">Last compaction</th>
            <th scope="col" class="num">
              Saved per call
            </th>
            <th scope="col">Last activity</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <SessionRow row={row} />
          ))}
        </tbody>
      </table>
      <Pager
        label="Sessions"
        before={cursor === undefined ? null : '/'}
        after={next === null ? null : withQuery('/', { cursor: next })}
      />
    </Layout>
  );
}

function SessionRow({ row }: { row: Row }) {
  const { last_compaction: last } = row;
  const origin = originWords(row.metadata);
  return (
    <tr>
      <th scope="row">
        <a class="name" href={sessionPath(row.id)}>
          {row.title ?? row.id}
        </a>
        {row.title !== null && <span class="faint">{row.id}</span>}
        <span class="faint">
          {origin === null ? '' : `${origin} · `}
          {counted(row.counts.items, 'item')} · {row.model ?? row.format}
        </span>
      </th>
      <td data-label="Context now">
        <Meter
          tokens={row.context.tokens}
          window={row.context_window}
          threshold={row.context.limit}
        />
        <span class="faint">
          {short(row.context.tokens)} of {short(row.context_window)}
        </span>
      </td>
      <td data-label="State">{row.is_archived ? <InArchive /> : <SessionState row={row} />}</td>
      <td data-label="Last compaction">
        {last === null ? (
          <span class="faint">none yet</span>
        ) : (
          <>
            <a class="quiet" href={compactionPath(row.id, last.id)}>
              <OutcomeTag outcome={last.outcome} isReverted={last.is_reverted} />
            </a>
            <span class="faint">
              <When at={last.at} />
            </span>
          </>
        )}
      </td>
      <td data-label="Saved per call" class="num">
        {row.saved_tokens === 0 ? (
          <span class="faint">–</span>
        ) : (
          `${row.is_all_saved ? '' : '> '}${count(row.saved_tokens)}`
        )}
      </td>
      <td data-label="Last activity">
        <When at={row.updated_at} />
      </td>
    </tr>
  );
}

function InArchive() {
  return (
    <>
      <span class="tag">▤ in the archive</span>
      <span class="faint">opening it brings it back</span>
    </>
  );
}

/** Where a session stands, in a word; the most urgent thing first. */
export function SessionState({
  row,
}: {
  row: Pick<Row, 'running_compaction' | 'breaker' | 'context'>;
}) {
  if (row.running_compaction !== null) return <span class="tag added">… compacting</span>;
  if (row.breaker.is_open) return <span class="tag failed">! compactions keep failing</span>;
  if (row.context.is_above_auto_compact)
    return <span class="tag failed">! over its threshold</span>;
  if (row.context.is_above_warning) return <span class="tag cleared">nearly full</span>;
  return <span class="tag">ready</span>;
}
