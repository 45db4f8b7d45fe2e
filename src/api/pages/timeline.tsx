import { z } from '@hono/zod-openapi';
import { listCompactions } from '../../app/list-compactions.ts';
import { listPins, type PinShown } from '../../app/list-pins.ts';
import { readHere } from '../../app/read-here.ts';
import { readSession } from '../../app/read-session.ts';
import { endWords, requestWords } from '../../app/reason-words.ts';
import { sessionCost } from '../../app/session-cost.ts';
import { readTokenCourse } from '../../app/token-course.ts';
import { counted } from '../../domain/counted.ts';
import type { Accepted } from '../../domain/session/errors.ts';
import { unwrap } from '../http/problem.ts';
import { pageQuery, sessionParams } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { addPage, type Site, sessionRef } from './page.tsx';
import { Chart } from './parts/chart.tsx';
import { beginning, count, share, usd, When } from './parts/figures.tsx';
import { Notice, noticeQuery } from './parts/notice.tsx';
import { originWords } from './parts/origin.ts';
import { Pager } from './parts/pager.tsx';
import { PinList } from './parts/pins.tsx';
import { whoWords } from './parts/reasons.ts';
import { SessionActions } from './parts/session-actions.tsx';
import { SessionFrame } from './parts/session-frame.tsx';
import { OutcomeTag } from './parts/tags.tsx';
import { compactionPath, sessionPath, withQuery } from './paths.ts';
import { SessionState } from './sessions.tsx';

const PER_PAGE = 25;

type State = Accepted<Awaited<ReturnType<typeof readSession>>>;
type Course = Accepted<Awaited<ReturnType<typeof readTokenCourse>>>;
type Cost = Accepted<Awaited<ReturnType<typeof sessionCost>>>;
type Compactions = Accepted<Awaited<ReturnType<typeof listCompactions>>>;

/** `/inspect/sessions/:id`: the course of a session, and all its compactions. */
export function addTimelinePage(site: Site): void {
  const deps = readHere(site.api.deps);
  addPage(site, {
    path: '/inspect/sessions/:id',
    params: sessionParams,
    query: z.object({ cursor: pageQuery.shape.cursor, ...noticeQuery }),
    render: async (call) => {
      const ref = sessionRef(call);
      const { cursor, done } = call.query;
      // What is read now brings it back.
      const wasArchived = (await deps.store.archived.find(ref)) !== null;
      const [state, course, cost, compactions, pins] = await Promise.all([
        readSession(deps, ref),
        readTokenCourse(deps, ref),
        sessionCost(deps, ref),
        listCompactions(deps, ref, { limit: PER_PAGE, cursor }),
        listPins(deps, ref),
      ]);
      return (
        <Timeline
          visitor={call.visitor}
          state={unwrap(state)}
          course={unwrap(course)}
          cost={unwrap(cost)}
          compactions={unwrap(compactions)}
          pins={unwrap(pins).data}
          isFirst={cursor === undefined}
          done={wasArchived ? 'restored' : done}
        />
      );
    },
  });
}

function Timeline({
  visitor,
  state,
  course,
  cost,
  compactions,
  pins,
  isFirst,
  done,
}: {
  visitor: Visitor;
  state: State;
  course: Course;
  cost: Cost;
  compactions: Compactions;
  pins: readonly PinShown[];
  isFirst: boolean;
  done: string | undefined;
}) {
  const { id } = state;
  const origin = originWords(state.metadata);
  return (
    <SessionFrame id={id} title="Timeline" visitor={visitor} tab="timeline" live={state.version}>
      <Notice done={done} />
      <div class="head">
        <h1>{state.title ?? id}</h1>
        <p class="faint">
          {state.title === null ? '' : `${id} · `}
          {origin === null ? '' : `${origin} · `}
          {state.profile} · {state.model ?? state.format} · begun <When at={state.created_at} />
        </p>
      </div>
      <dl class="figures">
        <div>
          <dt>Context now</dt>
          <dd>
            {count(course.tokens)} <small>of {count(course.window)}</small>
          </dd>
          <dd class="faint">{share(course.tokens, course.window)} of the window</dd>
        </div>
        <div>
          <dt>Compacts at</dt>
          <dd>{count(course.threshold)}</dd>
          <dd>
            <SessionState row={state} />
          </dd>
        </div>
        <div>
          <dt>Log</dt>
          <dd>{counted(state.counts.items, 'item')}</dd>
          <dd class="faint">
            version {count(state.version)}, <When at={state.updated_at} />
          </dd>
        </div>
        <div>
          <dt>Saved so far</dt>
          <dd>
            {count(cost.saved_tokens)} <small>tokens not sent again</small>
          </dd>
          <dd class="faint">{costWords(cost)}</dd>
        </div>
      </dl>
      <SessionActions visitor={visitor} id={id} version={state.version} />
      <section aria-labelledby="course">
        <h2 id="course">Tokens over versions</h2>
        <Chart course={course} session={id} />
      </section>
      <section aria-labelledby="compactions">
        <h2 id="compactions">Compactions</h2>
        {compactions.data.length === 0 ? (
          <p class="empty">
            None yet. The first comes by itself when the context reaches {count(course.threshold)}{' '}
            tokens.
          </p>
        ) : (
          <CompactionTable id={id} compactions={compactions} />
        )}
        <Pager
          label="Compactions"
          before={isFirst ? null : sessionPath(id)}
          after={
            compactions.next_cursor === null
              ? null
              : withQuery(sessionPath(id), { cursor: compactions.next_cursor })
          }
        />
      </section>
      <PinList visitor={visitor} id={id} pins={pins} />
    </SessionFrame>
  );
}

function costWords(cost: Cost): string {
  if (cost.compactions === 0) return 'no compactions yet';
  if (cost.net_usd === null) return `cost unknown: ${cost.unpriced.reason ?? 'no price'}`;
  return `spent ${usd(cost.usd)}, saved ${usd(cost.saved_usd)}`;
}

function CompactionTable({ id, compactions }: { id: string; compactions: Compactions }) {
  return (
    <table class="list">
      <caption class="hidden">Compactions, newest first</caption>
      <thead>
        <tr>
          <th scope="col">What came of it</th>
          <th scope="col">Why</th>
          <th scope="col" class="num">
            Before
          </th>
          <th scope="col" class="num">
            After
          </th>
          <th scope="col" class="num">
            Version
          </th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {compactions.data.map((one) => (
          <tr>
            <th scope="row">
              <a class="quiet" href={compactionPath(id, one.id)}>
                <OutcomeTag outcome={one.outcome} isReverted={one.reverted_at !== null} />
              </a>
            </th>
            <td data-label="Why">
              {whoWords(one.trigger)}
              <span class="faint">
                {beginning(
                  one.outcome_reason === null
                    ? requestWords(one.reason)
                    : endWords(one.outcome_reason).why,
                  200,
                )}
              </span>
            </td>
            <td data-label="Before" class="num">
              {one.tokens_before === null ? '–' : count(one.tokens_before)}
            </td>
            <td data-label="After" class="num">
              {one.tokens_after === null ? '–' : count(one.tokens_after)}
            </td>
            <td data-label="Version" class="num">
              {count(one.ended_version ?? one.requested_version)}
            </td>
            <td data-label="When">
              <When at={one.ended_at ?? one.requested_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
