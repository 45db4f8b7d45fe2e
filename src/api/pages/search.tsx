import { z } from '@hono/zod-openapi';
import { findSession } from '../../app/find.ts';
import { readHere } from '../../app/read-here.ts';
import type { Hit } from '../../app/search/hits.ts';
import { search } from '../../app/search/search.ts';
import type { SearchAnswer } from '../../app/search/search-task.ts';
import { STATES } from '../../domain/context/standing.ts';
import { KINDS } from '../../domain/search/documents.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { BASE } from './assets.ts';
import { Layout } from './layout.tsx';
import { addPage, noFields, type Site, sessionRef } from './page.tsx';
import { count, When } from './parts/figures.tsx';
import { Pager } from './parts/pager.tsx';
import { SessionFrame } from './parts/session-frame.tsx';
import { StateTag } from './parts/tags.tsx';
import { compactionPath, itemPath, sessionPath, withQuery } from './paths.ts';

const PER_PAGE = 20;

const query = z.object({
  q: z.string().max(500).optional(),
  kind: z.enum(KINDS).optional(),
  state: z.enum(STATES).optional(),
  cursor: z.string().max(200).optional(),
});
type Asked = z.infer<typeof query>;

/** Search over all sessions of the tenant, and over one. */
export function addSearchPages(site: Site): void {
  const deps = readHere(site.api.deps);
  const found = async (tenant: string, session: string | null, asked: Asked) => {
    if (asked.q === undefined) return null;
    return unwrap(await search(deps, tenant, session, { ...asked, limit: PER_PAGE }));
  };
  addPage(site, {
    path: `${BASE}/search`,
    params: noFields,
    query,
    render: async ({ visitor, query: asked }) => {
      const answer = await found(visitor.tenant, null, asked);
      return (
        <Layout title="Search" visitor={visitor} crumbs={[{ label: 'Search' }]} hasFind={false}>
          <h1>Search all sessions</h1>
          <Results path={`${BASE}/search`} asked={asked} answer={answer} session={null} />
        </Layout>
      );
    },
  });
  addPage(site, {
    path: `${BASE}/sessions/:id/search`,
    params: sessionParams,
    query,
    render: async (call) => {
      const ref = sessionRef(call);
      unwrap(await findSession(deps.store, ref));
      const answer = await found(ref.tenant, ref.session_id, call.query);
      return (
        <SessionSearch
          visitor={call.visitor}
          id={ref.session_id}
          asked={call.query}
          answer={answer}
        />
      );
    },
  });
}

function SessionSearch({
  visitor,
  id,
  asked,
  answer,
}: {
  visitor: Visitor;
  id: string;
  asked: Asked;
  answer: SearchAnswer | null;
}) {
  return (
    <SessionFrame id={id} title="Search" visitor={visitor} tab="search">
      <h1>Search this session</h1>
      <Results path={`${sessionPath(id)}/search`} asked={asked} answer={answer} session={id} />
    </SessionFrame>
  );
}

function Results({
  path,
  asked,
  answer,
  session,
}: {
  path: string;
  asked: Asked;
  answer: SearchAnswer | null;
  session: string | null;
}) {
  return (
    <>
      <form class="filters" action={path}>
        <label class="grow">
          Words, "a phrase", begin*, -without, this OR that
          <input id="q" name="q" type="search" required maxlength={500} value={asked.q ?? ''} />
        </label>
        <Choice name="kind" label="Kind" options={KINDS} chosen={asked.kind} />
        <Choice name="state" label="Where it is now" options={STATES} chosen={asked.state} />
        <button type="submit">Search</button>
      </form>
      {answer === null ? (
        <p class="empty">
          Everything that was ever said can be found here: file names and parts of them,
          identifiers, error lines, numbers, words in any language; also what was cleared or
          summarised long ago.
        </p>
      ) : (
        <section aria-labelledby="hits">
          <h2 id="hits">
            {answer.data.length === 0
              ? 'Nothing found'
              : `${answer.next_cursor === null ? '' : 'The best '}${count(answer.data.length)} found`}
          </h2>
          {answer.data.length === 0 && (
            <p class="empty">
              No item says all of this. Try fewer or other words
              {(asked.kind ?? asked.state) ? ', or take the filters away' : ''}.
            </p>
          )}
          {!answer.is_complete && (
            <p class="notice">
              There may be more than was looked at: use rarer words, or look again in a moment.
            </p>
          )}
          {answer.data.map((hit) => (
            <HitView hit={hit} session={session} />
          ))}
          <Pager
            label="Hits"
            before={null}
            after={
              answer.next_cursor === null
                ? null
                : withQuery(path, { ...asked, cursor: answer.next_cursor })
            }
          />
        </section>
      )}
    </>
  );
}

function HitView({ hit, session }: { hit: Hit; session: string | null }) {
  const { session_id, seq, kind, tool, role, state, compaction_id } = hit;
  const href =
    kind === 'summary' && state !== null
      ? withQuery(`${sessionPath(session_id)}/context`, { at: seq })
      : itemPath(session_id, seq);
  return (
    <article class={`entry by-${kind === 'summary' ? 'summarised' : (role ?? 'system')}`}>
      <header>
        <a class="who" href={href}>
          {session === session_id ? '' : `${session_id} `}#{seq}
        </a>
        <span>
          {kind.replace('_', ' ')}
          {tool === null ? '' : ` of ${tool}`}
        </span>
        <StateTag state={state} />
        {compaction_id !== null && (
          <a class="faint" href={compactionPath(session_id, compaction_id)}>
            by this compaction
          </a>
        )}
        <span class="spring" />
        <span class="faint">
          <When at={hit.at} />
        </span>
      </header>
      <div class="body">
        <pre>{marked(hit)}</pre>
      </div>
    </article>
  );
}

function marked({ snippet, matches }: Hit) {
  const pieces: (string | ReturnType<typeof Marked>)[] = [];
  let from = 0;
  for (const { start, end } of matches) {
    if (start < from) continue;
    pieces.push(snippet.slice(from, start), <Marked text={snippet.slice(start, end)} />);
    from = end;
  }
  return [...pieces, snippet.slice(from)];
}

function Marked({ text }: { text: string }) {
  return <mark>{text}</mark>;
}

function Choice({
  name,
  label,
  options,
  chosen,
}: {
  name: string;
  label: string;
  options: readonly string[];
  chosen: string | undefined;
}) {
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">any</option>
        {options.map((option) => (
          <option value={option} selected={option === chosen}>
            {option.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </label>
  );
}
