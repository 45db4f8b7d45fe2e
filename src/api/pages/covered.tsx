import { z } from '@hono/zod-openapi';
import { findSession } from '../../app/find.ts';
import { readHere } from '../../app/read-here.ts';
import { covered } from '../../app/recall/covered.ts';
import type { Format } from '../../domain/items/codecs.ts';
import type { Accepted } from '../../domain/session/errors.ts';
import { unwrap } from '../http/problem.ts';
import { compactionParams, MAX_VERSION, wholeNumber } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { addPage, type Site, sessionRef } from './page.tsx';
import { itemBeginning, whoOf } from './parts/entry.tsx';
import { count } from './parts/figures.tsx';
import { Pager } from './parts/pager.tsx';
import { SessionFrame } from './parts/session-frame.tsx';
import { FateTag } from './parts/tags.tsx';
import { compactionPath, itemPath, withQuery } from './paths.ts';

const PER_PAGE = 50;

type Covered = Accepted<Awaited<ReturnType<typeof covered>>>;

/** `/inspect/sessions/:id/compactions/:cid/covered`: the items that it took away. */
export function addCoveredPage(site: Site): void {
  const deps = readHere(site.api.deps);
  addPage(site, {
    path: '/inspect/sessions/:id/compactions/:cid/covered',
    params: compactionParams,
    query: z.object({ after: wholeNumber(0, MAX_VERSION, 'Items after this one.').optional() }),
    render: async (call) => {
      const ref = sessionRef(call);
      const { cid } = call.params;
      const { after = 0 } = call.query;
      const { settings } = unwrap(await findSession(deps.store, ref));
      const items = unwrap(await covered(deps, ref, cid, { after, limit: PER_PAGE }));
      return (
        <CoveredPage
          visitor={call.visitor}
          id={ref.session_id}
          cid={cid}
          format={settings.format}
          items={items}
          after={after}
        />
      );
    },
  });
}

function CoveredPage({
  visitor,
  id,
  cid,
  format,
  items,
  after,
}: {
  visitor: Visitor;
  id: string;
  cid: string;
  format: Format;
  items: Covered;
  after: number;
}) {
  const own = compactionPath(id, cid);
  return (
    <SessionFrame id={id} title="Taken away" visitor={visitor} tab={null} crumb="taken away">
      <div class="head">
        <h1>What it took away</h1>
        <a href={own}>The compaction</a>
      </div>
      {items.data.length === 0 && <p class="empty">Nothing{after === 0 ? '' : ' more'}.</p>}
      {items.data.length > 0 && (
        <table class="list">
          <caption class="hidden">Items, oldest first</caption>
          <thead>
            <tr>
              <th scope="col">Item</th>
              <th scope="col">What it did</th>
              <th scope="col">Begins with</th>
              <th scope="col" class="num">
                Tokens
              </th>
              <th scope="col">Now</th>
            </tr>
          </thead>
          <tbody>
            {items.data.map(({ session_id, seq, item, tokens, taken, state }) => (
              <tr>
                <th scope="row">
                  <a href={itemPath(session_id, seq)}>#{seq}</a>
                </th>
                <td data-label="What it did">
                  <FateTag fate={taken === 'summarised' ? 'summarised' : 'cleared'} label={taken} />
                </td>
                <td class="wide">
                  {whoOf(item, format).label}: {itemBeginning(item, format, 110)}
                </td>
                <td data-label="Tokens" class="num">
                  {count(tokens)}
                </td>
                <td data-label="Now">{state.replace('_', ' ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager
        label="Items"
        before={after === 0 ? null : `${own}/covered`}
        after={
          items.next_cursor === null
            ? null
            : withQuery(`${own}/covered`, { after: items.next_cursor })
        }
      />
    </SessionFrame>
  );
}
