import { z } from '@hono/zod-openapi';
import { findSession } from '../../app/find.ts';
import { listItems } from '../../app/list-items.ts';
import { readHere } from '../../app/read-here.ts';
import type { Format } from '../../domain/items/codecs.ts';
import type { Accepted } from '../../domain/session/errors.ts';
import { unwrap } from '../http/problem.ts';
import { MAX_VERSION, sessionParams, wholeNumber } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { addPage, type Site, sessionRef } from './page.tsx';
import { itemBeginning, whoOf } from './parts/entry.tsx';
import { count, When } from './parts/figures.tsx';
import { Pager } from './parts/pager.tsx';
import { SessionFrame } from './parts/session-frame.tsx';
import { itemPath, sessionPath, withQuery } from './paths.ts';

const PER_PAGE = 50;

type Items = Accepted<Awaited<ReturnType<typeof listItems>>>;

/** `/inspect/sessions/:id/log`: every item ever appended, also what is in no context any more. */
export function addLogPage(site: Site): void {
  const deps = readHere(site.api.deps);
  addPage(site, {
    path: '/inspect/sessions/:id/log',
    params: sessionParams,
    query: z.object({ after: wholeNumber(0, MAX_VERSION, 'Items after this one.').optional() }),
    render: async (call) => {
      const ref = sessionRef(call);
      const { after = 0 } = call.query;
      const { settings, state } = unwrap(await findSession(deps.store, ref));
      const items = unwrap(await listItems(deps, ref, { after, limit: PER_PAGE }));
      return (
        <Log
          visitor={call.visitor}
          id={call.params.id}
          format={settings.format}
          newest={state.version}
          after={after}
          items={items}
        />
      );
    },
  });
}

function Log({
  visitor,
  id,
  format,
  newest,
  after,
  items,
}: {
  visitor: Visitor;
  id: string;
  format: Format;
  newest: number;
  after: number;
  items: Items;
}) {
  const path = `${sessionPath(id)}/log`;
  const atEnd = items.next_cursor === null;
  return (
    <SessionFrame
      id={id}
      title="Log"
      visitor={visitor}
      tab="log"
      {...(atEnd ? { live: newest } : {})}
    >
      <div class="head">
        <div>
          <h1>Log</h1>
          <p class="faint">
            Every item ever appended, oldest first. Nothing is ever taken out of it.
          </p>
        </div>
        <form class="filters" action={path}>
          <label>
            After number
            <input name="after" type="number" min="0" max={newest} value={after} />
          </label>
          <button class="second" type="submit">
            Go
          </button>
        </form>
      </div>
      {items.data.length === 0 ? (
        <p class="empty">No item {after === 0 ? 'yet' : `after number ${count(after)}`}.</p>
      ) : (
        <table class="list">
          <caption class="hidden">Items</caption>
          <thead>
            <tr>
              <th scope="col">Item</th>
              <th scope="col">Who</th>
              <th scope="col">Begins with</th>
              <th scope="col" class="num">
                Tokens
              </th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {items.data.map(({ seq, at, item, tokens }) => (
              <tr>
                <th scope="row">
                  <a href={itemPath(id, seq)}>#{seq}</a>
                </th>
                <td data-label="Who">{whoOf(item, format).label}</td>
                <td class="wide">{itemBeginning(item, format, 140)}</td>
                <td data-label="Tokens" class="num">
                  {count(tokens)}
                </td>
                <td data-label="When">
                  <When at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager
        label="Entries"
        before={after === 0 ? null : withQuery(path, { after: Math.max(0, after - PER_PAGE) })}
        after={atEnd ? null : withQuery(path, { after: items.next_cursor })}
      />
    </SessionFrame>
  );
}
