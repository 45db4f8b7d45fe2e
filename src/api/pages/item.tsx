import { z } from '@hono/zod-openapi';
import { findSession } from '../../app/find.ts';
import { readHere } from '../../app/read-here.ts';
import { type LogItem, readItem } from '../../app/read-item.ts';
import { trace } from '../../app/recall/trace.ts';
import { counted } from '../../domain/counted.ts';
import type { Accepted } from '../../domain/session/errors.ts';
import { type Pin, pinOf } from '../../domain/session/pins.ts';
import { unwrap } from '../http/problem.ts';
import { MAX_VERSION, sessionParams, wholeNumber } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { addPage, type Site, sessionRef } from './page.tsx';
import { ItemBody, whoOf } from './parts/entry.tsx';
import { count, When } from './parts/figures.tsx';
import { Notice, noticeQuery } from './parts/notice.tsx';
import { Pager } from './parts/pager.tsx';
import { PinItem, Unpin } from './parts/pins.tsx';
import { SessionFrame } from './parts/session-frame.tsx';
import { FateTag } from './parts/tags.tsx';
import { compactionPath, itemPath, sessionPath, withQuery } from './paths.ts';

/** Characters of the original on one page: escaped they may be six times as many bytes. */
const CHARACTERS = 100_000;
const STEPS = 100;

type Trace = Accepted<Awaited<ReturnType<typeof trace>>>;

/** `/inspect/sessions/:id/items/:seq`: an original, and where it went. */
export function addItemPage(site: Site): void {
  const deps = readHere(site.api.deps);
  addPage(site, {
    path: '/inspect/sessions/:id/items/:seq',
    params: sessionParams.extend({ seq: wholeNumber(1, MAX_VERSION, 'Its number.') }),
    query: z.object({
      from: wholeNumber(0, MAX_VERSION, 'The first character.').optional(),
      ...noticeQuery,
    }),
    render: async (call) => {
      const ref = sessionRef(call);
      const { seq } = call.params;
      const item = unwrap(await readItem(deps, ref, seq));
      const traced = unwrap(await trace(deps, ref, { seq }));
      const { from = 0, done } = call.query;
      const { state } = unwrap(await findSession(deps.store, ref));
      return (
        <ItemPage
          visitor={call.visitor}
          id={ref.session_id}
          item={item}
          traced={traced}
          from={from}
          pin={pinOf(state.pins, seq)}
          done={done}
        />
      );
    },
  });
}

function ItemPage({
  visitor,
  id,
  item,
  traced,
  from,
  pin,
  done,
}: {
  visitor: Visitor;
  id: string;
  item: LogItem;
  traced: Trace;
  from: number;
  pin: Pin | null;
  done: string | undefined;
}) {
  const { seq, at, tokens, format } = item;
  const json = JSON.stringify(item.item, null, 2);
  const own = itemPath(id, seq);
  return (
    <SessionFrame id={id} title={`Item ${seq}`} visitor={visitor} tab={null} crumb={`item ${seq}`}>
      <Notice done={done} />
      <div class="head">
        <h1>
          #{seq} {whoOf(item.item, format).label}
        </h1>
        <p class="faint">
          {counted(tokens, 'token')} · appended <When at={at} /> ·{' '}
          <a href={withQuery(`${sessionPath(id)}/log`, { after: Math.max(0, seq - 10) })}>
            in the log
          </a>
        </p>
      </div>
      <section class="card" aria-labelledby="now">
        <h2 id="now">Where it is now</h2>
        <Standing traced={traced} id={id} seq={seq} />
        <ol class="steps">
          {traced.history.slice(-STEPS).map((step) => (
            <li>
              <span class="faint">version {count(step.version)}</span> {STEP_WORDS[step.what]}
              {step.result !== null && (
                <span class="faint">
                  {' '}
                  {count(step.result.tokens_before)} → {count(step.result.tokens_after)} tokens
                </span>
              )}{' '}
              {step.compaction_id !== null && (
                <a href={compactionPath(step.session_id, step.compaction_id)}>by this compaction</a>
              )}{' '}
              <span class="faint">
                <When at={step.at} />
              </span>
            </li>
          ))}
        </ol>
        {pin !== null ? (
          <>
            <p>
              <FateTag fate="kept" label="pinned" /> It stands word for word in every context.
            </p>
            <div class="actions">
              <Unpin visitor={visitor} id={id} pin={pin.id} place="unpin" seq={seq} />
            </div>
          </>
        ) : (
          CAN_BE_PINNED[traced.state] && (
            <div class="actions">
              <PinItem visitor={visitor} id={id} seq={seq} />
            </div>
          )
        )}
      </section>
      <section aria-labelledby="original">
        <h2 id="original">The original</h2>
        <article class={`entry by-${whoOf(item.item, format).by}`}>
          <div class="whole">
            <ItemBody item={item.item} format={format} most={CHARACTERS} more={null} />
          </div>
        </article>
        <details id="json" open={from > 0}>
          <summary>As it was sent, as JSON ({count(json.length)} characters)</summary>
          <pre class="code" tabindex={0}>
            {json.slice(from, from + CHARACTERS)}
          </pre>
          <Pager
            label="Entries"
            before={from === 0 ? null : withQuery(own, { from: Math.max(0, from - CHARACTERS) })}
            after={
              from + CHARACTERS >= json.length ? null : withQuery(own, { from: from + CHARACTERS })
            }
          />
        </details>
      </section>
    </SessionFrame>
  );
}

/** What never stood in a context, or was taken back, cannot be kept there. */
const CAN_BE_PINNED: Record<Trace['state'], boolean> = {
  in_context: true,
  cleared: true,
  summarised: true,
  superseded: false,
  excluded: false,
};

const STEP_WORDS: Record<Trace['history'][number]['what'], string> = {
  appended: 'appended',
  forked: 'copied into a fork',
  cleared: 'result cleared',
  digested: 'result replaced by a digest',
  truncated: 'result shortened',
  input_truncated: 'input of a call shortened',
  summarised: 'summarised',
  summarised_again: 'its summary was summarised again',
  reverted: 'that was undone',
  superseded: 'taken back by the client',
  pinned: 'pinned',
  unpinned: 'no longer pinned',
};

function Standing({ traced, id, seq }: { traced: Trace; id: string; seq: number }) {
  const { state, is_verbatim, compaction_id: by, summary, restored } = traced;
  const context = <a href={`${sessionPath(id)}/context`}>the context</a>;
  switch (state) {
    case 'in_context':
      return (
        <p>
          <FateTag fate="kept" label="in context" /> It stands in {context}
          {is_verbatim ? ', word for word.' : ', with results shortened.'}
        </p>
      );
    case 'cleared':
      return (
        <p>
          <FateTag fate="cleared" /> It stands in {context}, but {count(traced.tokens_cleared)}{' '}
          tokens of results were taken out{' '}
          {by === null ? (
            'before the fork.'
          ) : (
            <a href={compactionPath(id, by)}>by this compaction.</a>
          )}
        </p>
      );
    case 'summarised':
      return (
        <>
          <p>
            <FateTag fate="summarised" /> The model sees it only as far as a summary tells of it
            {summary?.compaction_id ? (
              <>
                : <a href={compactionPath(summary.session_id, summary.compaction_id)}>this one</a>.
              </>
            ) : (
              '.'
            )}{' '}
            <a href={withQuery(`${sessionPath(id)}/context`, { at: seq })}>
              The context back then.
            </a>
          </p>
          {restored.length > 0 && (
            <p>
              <FateTag fate="restored" /> Parts of it were put back.
            </p>
          )}
        </>
      );
    case 'superseded':
      return <p>The client has taken it back: it stands in no context any more.</p>;
    case 'excluded':
      return <p>A command to the service: it never stood in a context.</p>;
    default:
      return state satisfies never;
  }
}
