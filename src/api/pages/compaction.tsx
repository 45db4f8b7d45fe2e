import { z } from '@hono/zod-openapi';
import { readCompactionPage } from '../../app/compaction-page.ts';
import { readHere } from '../../app/read-here.ts';
import { endWords, requestWords } from '../../app/reason-words.ts';
import { wholePercent } from '../../app/whole-percent.ts';
import type { Accepted } from '../../domain/session/errors.ts';
import { unwrap } from '../http/problem.ts';
import { compactionParams } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { addPage, type Site, sessionRef } from './page.tsx';
import { CompactionActions } from './parts/compaction-actions.tsx';
import { DiffView } from './parts/diff.tsx';
import { beginning, count, duration, share, usd, When } from './parts/figures.tsx';
import { Notice, noticeQuery } from './parts/notice.tsx';
import { marginWords, modeWords } from './parts/reasons.ts';
import { SessionFrame } from './parts/session-frame.tsx';
import { SummaryView } from './parts/summary.tsx';
import { OutcomeTag } from './parts/tags.tsx';

/** Characters of an event that are shown. */
const EVENT_CHARACTERS = 2_000;
const EVENTS = 60;

type CompactionPage = Accepted<Awaited<ReturnType<typeof readCompactionPage>>>;

/** `/inspect/sessions/:id/compactions/:cid`: why, how, and what came of it. */
export function addCompactionPage(site: Site): void {
  const deps = readHere(site.api.deps);
  addPage(site, {
    path: '/inspect/sessions/:id/compactions/:cid',
    params: compactionParams,
    query: z.object(noticeQuery),
    render: async (call) => {
      const ref = sessionRef(call);
      const page = unwrap(await readCompactionPage(deps, ref, call.params.cid));
      return (
        <CompactionView
          visitor={call.visitor}
          id={ref.session_id}
          page={page}
          done={call.query.done}
        />
      );
    },
  });
}

function CompactionView({
  visitor,
  id,
  page,
  done,
}: {
  visitor: Visitor;
  id: string;
  page: CompactionPage;
  done: string | undefined;
}) {
  const { detail, diff, stand_ins: standIns, summary, format, version } = page;
  const margin = marginWords(detail.config?.token_safety_multiplier ?? 1);
  return (
    <SessionFrame
      id={id}
      title="Compaction"
      visitor={visitor}
      tab={null}
      crumb="compaction"
      live={version}
    >
      <Notice done={done} />
      <div class="head">
        <h1>
          Compaction{' '}
          <OutcomeTag outcome={detail.outcome} isReverted={detail.reverted_at !== null} />
        </h1>
        <p class="faint">
          version {count(detail.ended_version ?? detail.requested_version)},{' '}
          <When at={detail.ended_at ?? detail.requested_at} />
        </p>
      </div>
      <CompactionActions visitor={visitor} id={id} page={page} />
      <div class="two">
        <Why page={page} />
        <Phases page={page} />
      </div>
      {diff !== null && (
        <section aria-labelledby="sides">
          <h2 id="sides">Before and after</h2>
          {margin !== null && <p class="faint reckoned">{margin}</p>}
          <DiffView diff={diff} standIns={standIns} format={format} session={id} />
        </section>
      )}
      {summary !== null && (
        <section class="card" aria-labelledby="summary">
          <h2 id="summary">
            The summary
            <small> · each source leads to what was said</small>
          </h2>
          <SummaryView lines={summary.lines} session={id} />
          {summary.left_out > 0 && <p class="faint">and {count(summary.left_out)} more lines</p>}
        </section>
      )}
      <div class="two">
        <Retention page={page} />
        <Cost page={page} />
      </div>
      <RawEvents page={page} />
    </SessionFrame>
  );
}

function Why({ page: { detail } }: { page: CompactionPage }) {
  const { request, attribution, skip } = detail;
  return (
    <section class="card" aria-labelledby="why">
      <h2 id="why">Why</h2>
      <p>{whyWords(detail)}</p>
      <dl class="pairs">
        <dt>asked for</dt>
        <dd>{modeWords(request.mode)}</dd>
        <dt>reason</dt>
        <dd>{beginning(requestWords(request.reason), 200)}</dd>
        <dt>by way of</dt>
        <dd>{beginning(requestWords(attribution.path), 200)}</dd>
        {request.focus !== null && (
          <>
            <dt>focus</dt>
            <dd>{request.focus}</dd>
          </>
        )}
        {request.instructions !== null && (
          <>
            <dt>instructions</dt>
            <dd>{request.instructions.slice(0, 2_000)}</dd>
          </>
        )}
        {detail.tokens_before !== null && (
          <>
            <dt>context</dt>
            <dd>
              {count(detail.tokens_before)} → {count(detail.tokens_after ?? 0)} tokens
            </dd>
          </>
        )}
      </dl>
      {skip !== null && (
        <>
          <p class="notice">{skip.detail}</p>
          <ul>
            {skip.contributors.slice(0, 20).map(({ what, tokens }) => (
              <li>
                {what}: {count(tokens)} tokens
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function whyWords({ request, status, outcome_reason }: CompactionPage['detail']): string {
  const who = {
    auto: 'The service began it by itself',
    manual: 'Somebody asked for it',
    tool: 'The agent itself asked for it',
  }[request.trigger];
  const end = outcome_reason === null ? null : endWords(outcome_reason);
  const advice = end === null || end.advice === null ? '' : ` ${end.advice}`;
  const tail = end === null ? '' : ` Nothing came of it: ${end.why} (${outcome_reason}).${advice}`;
  return `${who}${status === 'ended' ? '' : `; it is ${status} now`}.${tail}`;
}

function Phases({ page: { phases, detail } }: { page: CompactionPage }) {
  const longest = phases.reduce((most, { ms }) => Math.max(most, ms ?? 0), 1);
  return (
    <section class="card" aria-labelledby="phases">
      <h2 id="phases">
        Phases
        {detail.attempts > 1 && <small> · {count(detail.attempts)} attempts</small>}
      </h2>
      <ol class="phases">
        {phases.slice(0, 40).map(({ name, ms, detail: more }) => (
          <li>
            <span>
              {name}
              {more !== null && <span class="faint"> {more.slice(0, 300)}</span>}
            </span>
            <svg aria-hidden="true">
              <rect width={`${(((ms ?? 0) / longest) * 100).toFixed(2)}%`} height="100%" rx="3" />
            </svg>
            <span class="num">{ms === null ? 'now' : duration(ms)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Retention({ page: { detail } }: { page: CompactionPage }) {
  const { retention } = detail;
  return (
    <section class="card" aria-labelledby="retention">
      <h2 id="retention">What the summary kept</h2>
      {retention === null ? (
        <p class="faint">Nothing was checked: no summary was written, or the check is off.</p>
      ) : (
        <>
          <p>
            {wholePercent(retention.share)} % of the facts that must be kept
            {retention.put_back > 0 ? `, ${count(retention.put_back)} of them put back` : ''}.
          </p>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Kind</th>
                <th scope="col" class="num">
                  Kept
                </th>
                <th scope="col">Missing</th>
              </tr>
            </thead>
            <tbody>
              {retention.kinds.map(({ kind, kept, total, missing }) => (
                <tr>
                  <th scope="row">{kind}</th>
                  <td class="num">
                    {count(kept)} of {count(total)}
                  </td>
                  <td>{missing.slice(0, 5).join('; ').slice(0, 400) || '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}

function Cost({ page: { detail } }: { page: CompactionPage }) {
  const { cost } = detail;
  const sent = cost.tokens.input + cost.tokens.cache_read + cost.tokens.cache_creation;
  // Who asks no model pays nothing, whatever its price.
  const isFree = sent + cost.tokens.output === 0;
  return (
    <section class="card" aria-labelledby="cost">
      <h2 id="cost">What it cost and saves</h2>
      <dl class="pairs">
        <dt>written by</dt>
        <dd>{detail.model ?? detail.summarizer ?? 'nobody: no summary'}</dd>
        <dt>model tokens</dt>
        <dd>
          {count(sent)} in, {count(cost.tokens.output)} out
        </dd>
        <dt>cost</dt>
        <dd>{usd(isFree ? 0 : cost.usd)}</dd>
        <dt>saves per call</dt>
        <dd>
          {cost.saved_tokens === null ? 'nothing' : `${count(cost.saved_tokens)} tokens`}
          {cost.saves_usd_per_call === null ? '' : `, ${usd(cost.saves_usd_per_call)}`}
        </dd>
        {cost.pays_after_calls !== null && (
          <>
            <dt>pays for itself</dt>
            <dd>after {count(cost.pays_after_calls)} calls</dd>
          </>
        )}
        {cost.calls_since !== null && (
          <>
            <dt>calls since</dt>
            <dd>{count(cost.calls_since)}</dd>
          </>
        )}
      </dl>
      {cost.unpriced !== null && <p class="faint">Prices are missing: {cost.unpriced}.</p>}
      {detail.tokens !== null && (
        <p class="faint">
          The summary and what was put back take{' '}
          {share(detail.tokens.replacement, detail.tokens.covered)} of what they replace.
        </p>
      )}
    </section>
  );
}

function RawEvents({ page: { events } }: { page: CompactionPage }) {
  return (
    <details class="card" id="raw">
      <summary>Raw events ({count(events.length)})</summary>
      {events.slice(0, EVENTS).map(({ version, type, at, data }) => {
        const json = JSON.stringify(data, null, 2);
        return (
          <article class="entry">
            <header>
              <span class="who">{type}</span>
              <span class="faint">
                version {count(version)} · {at}
              </span>
            </header>
            <div class="body">
              <pre tabindex={0}>{json.slice(0, EVENT_CHARACTERS)}</pre>
              {json.length > EVENT_CHARACTERS && (
                <p class="faint">
                  … {count(json.length - EVENT_CHARACTERS)} more characters: GET
                  /sessions/…/events?after={version - 1}&limit=1
                </p>
              )}
            </div>
          </article>
        );
      })}
      {events.length > EVENTS && <p class="faint">and {count(events.length - EVENTS)} more</p>}
    </details>
  );
}
