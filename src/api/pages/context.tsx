import { z } from '@hono/zod-openapi';
import { readContextPage } from '../../app/context-page.ts';
import { readHere } from '../../app/read-here.ts';
import { versionAt } from '../../app/version-at.ts';
import { counted } from '../../domain/counted.ts';
import type { Accepted } from '../../domain/session/errors.ts';
import { unwrap } from '../http/problem.ts';
import { MAX_VERSION, sessionParams, wholeNumber } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { addPage, type Site, sessionRef } from './page.tsx';
import { EntryView } from './parts/entry.tsx';
import { count, share, When } from './parts/figures.tsx';
import { FillBar } from './parts/fill.tsx';
import { Pager, pageOf } from './parts/pager.tsx';
import { marginWords } from './parts/reasons.ts';
import { SessionFrame } from './parts/session-frame.tsx';
import { compactionPath, sessionPath, withQuery } from './paths.ts';

const PER_PAGE = 25;

/** Moments that people ask for, in minutes. */
const AGO = [
  [10, 'ten minutes ago'],
  [60, 'an hour ago'],
  [24 * 60, 'a day ago'],
  [7 * 24 * 60, 'a week ago'],
] as const;

type ContextPage = Accepted<Awaited<ReturnType<typeof readContextPage>>>;

/** `/inspect/sessions/:id/context`: what the model sees, now or at any version. */
export function addContextPage(site: Site): void {
  const deps = readHere(site.api.deps);
  addPage(site, {
    path: '/inspect/sessions/:id/context',
    params: sessionParams,
    query: z.object({
      at: wholeNumber(1, MAX_VERSION, 'The version.').optional(),
      page: wholeNumber(1, 1_000_000, 'The page of entries, from 1.').optional(),
      ago: wholeNumber(1, 5_256_000, 'Minutes ago, in place of a version.').optional(),
    }),
    render: async (call) => {
      const { page = 1, ago } = call.query;
      const now = deps.clock.now().getTime();
      const at =
        ago === undefined
          ? call.query.at
          : unwrap(await versionAt(deps, sessionRef(call), now - ago * 60_000));
      const asked = { at, page: page - 1, per_page: PER_PAGE };
      const context = unwrap(await readContextPage(deps, sessionRef(call), asked));
      return <ContextView visitor={call.visitor} id={call.params.id} context={context} at={at} />;
    },
  });
}

function ContextView({
  visitor,
  id,
  context,
  at,
}: {
  visitor: Visitor;
  id: string;
  context: ContextPage;
  at: number | undefined;
}) {
  const { version, newest, tokens, window, page, pages, base_compaction_id: base } = context;
  const path = `${sessionPath(id)}/context`;
  const isNow = version === newest;
  const margin = marginWords(context.margin, context.is_counted);
  const pagePath = (other: number) => withQuery(path, { at: at ?? version, page: other + 1 });
  return (
    <SessionFrame
      id={id}
      title={`Context at version ${version}`}
      visitor={visitor}
      tab="context"
      {...(at === undefined ? { live: newest } : {})}
    >
      <div class="head">
        <h1>What the model sees{isNow ? ' now' : ''}</h1>
        <p class="faint">
          Version {count(version)} of {count(newest)}, <When at={context.at} />
          {isNow ? '' : ': the context exactly as it was then'}.{' '}
          {base === null ? (
            'Nothing is summarised.'
          ) : (
            <>
              Built on <a href={compactionPath(id, base)}>this compaction</a>.
            </>
          )}
        </p>
      </div>
      <form class="slider" action={path}>
        <label for="at">Version</label>
        <input id="at" name="at" type="range" min="1" max={newest} value={version} />
        <output for="at">{count(version)}</output>
        <button type="submit">Show</button>
        {!isNow && <a href={path}>Now</a>}
      </form>
      <p class="faint">
        As it was{' '}
        {AGO.map(([minutes, words], index) => (
          <>
            {index > 0 && ' · '}
            <a href={withQuery(path, { ago: minutes })}>{words}</a>
          </>
        ))}
      </p>
      <section aria-labelledby="fill">
        <h2 id="fill">
          {count(tokens)} of {count(window)} tokens
          <small>
            {' '}
            · {share(tokens, window)} full · compacts at {count(context.threshold)}
          </small>
        </h2>
        <FillBar fill={context.fill} window={window} />
      </section>
      <section aria-labelledby="entries">
        <h2 id="entries">
          {counted(context.items, 'item')}
          {pages > 1 && (
            <small>
              {' '}
              · {pageOf(page, pages)}
              {page + 1 < pages && (
                <>
                  {' '}
                  · <a href={pagePath(pages - 1)}>the newest</a>
                </>
              )}
            </small>
          )}
        </h2>
        {margin !== null && context.items > 0 && <p class="faint reckoned">{margin}</p>}
        {context.entries.length === 0 && <p class="empty">The context is empty at this version.</p>}
        {context.entries.map((entry) => (
          <EntryView entry={entry} format={context.format} session={id} />
        ))}
        <Pager
          label="Entries"
          before={page === 0 ? null : pagePath(page - 1)}
          after={page + 1 >= pages ? null : pagePath(page + 1)}
          place={pageOf(page, pages)}
        />
      </section>
    </SessionFrame>
  );
}
