import { z } from '@hono/zod-openapi';
import { dryRun } from '../../app/dry-run.ts';
import { counted } from '../../domain/counted.ts';
import type { Accepted } from '../../domain/session/errors.ts';
import { configOf } from '../../domain/session/head.ts';
import { unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import type { Visitor } from './access.ts';
import { addPage, type Site, sessionRef } from './page.tsx';
import { count } from './parts/figures.tsx';
import { marginWords } from './parts/reasons.ts';
import { COMPACT_MODES, SessionActions } from './parts/session-actions.tsx';
import { SessionFrame } from './parts/session-frame.tsx';
import { FateTag } from './parts/tags.tsx';
import { itemPath } from './paths.ts';

const SHOWN = 50;

type DryRun = Accepted<Awaited<ReturnType<typeof dryRun>>>;

/** `/inspect/sessions/:id/dry-run`: what a compaction would do now. */
export function addDryRunPage(site: Site): void {
  const { deps } = site.api;
  addPage(site, {
    path: '/inspect/sessions/:id/dry-run',
    params: sessionParams,
    query: z.object({ mode: z.enum(COMPACT_MODES).optional() }),
    render: async (call) => {
      const ref = sessionRef(call);
      const { mode = 'auto' } = call.query;
      const plan = unwrap(await dryRun(deps, ref, { mode, trigger: 'manual' }));
      const head = await deps.store.head(ref);
      return (
        <DryRunPage
          visitor={call.visitor}
          id={ref.session_id}
          version={head?.state.version ?? 1}
          margin={
            head === null
              ? null
              : marginWords(configOf(head.settings, deps.world.server).token_safety_multiplier)
          }
          plan={plan}
        />
      );
    },
  });
}

function DryRunPage({
  visitor,
  id,
  version,
  margin,
  plan,
}: {
  visitor: Visitor;
  id: string;
  version: number;
  margin: string | null;
  plan: DryRun;
}) {
  const cleared = plan.cleared_tool_results;
  return (
    <SessionFrame id={id} title="Dry run" visitor={visitor} tab={null} crumb="dry run">
      <h1>{WORDS[plan.action]}</h1>
      {plan.skip !== null && <p class="notice">{plan.skip.detail}</p>}
      <SessionActions visitor={visitor} id={id} version={version} />
      <section class="card" aria-label="What it would do">
        <dl class="pairs">
          <dt>context now</dt>
          <dd>{counted(plan.tokens_before, 'token')}</dd>
          {plan.tokens_after_micro !== plan.tokens_before && (
            <>
              <dt>after clearing results</dt>
              <dd>{counted(plan.tokens_after_micro, 'token')}</dd>
            </>
          )}
          {plan.covered_tokens !== null && (
            <>
              <dt>summarised</dt>
              <dd>
                <FateTag fate="summarised" /> {counted(plan.covered_tokens, 'token')}, up to item{' '}
                {plan.through !== null && plan.through > 0 && (
                  <a href={itemPath(id, plan.through)}>#{plan.through}</a>
                )}
              </dd>
              <dt>kept</dt>
              <dd>
                <FateTag fate="kept" /> {counted(plan.kept_tokens ?? 0, 'token')}
              </dd>
              <dt>the summary may have</dt>
              <dd>{plan.summary_budget === null ? '–' : counted(plan.summary_budget, 'token')}</dd>
            </>
          )}
        </dl>
        {margin !== null && plan.action !== 'skip' && <p class="faint">{margin}</p>}
        {cleared.length > 0 && (
          <>
            <h2>
              <FateTag fate="cleared" /> {counted(cleared.length, 'tool result')}
            </h2>
            <ul class="pieces">
              {cleared.slice(0, SHOWN).map(({ seq, kind, tokens_before, tokens_after }) => (
                <li>
                  <a href={itemPath(id, seq)}>#{seq}</a>
                  <span>{kind}</span>
                  <span class="num faint">
                    {count(tokens_before)} → {count(tokens_after)}
                  </span>
                </li>
              ))}
            </ul>
            {cleared.length > SHOWN && (
              <p class="faint">and {count(cleared.length - SHOWN)} more</p>
            )}
          </>
        )}
        {plan.files.length > 0 && (
          <>
            <h2>
              <FateTag fate="restored" label="could be put back" />
            </h2>
            <ul>
              {plan.files.slice(0, SHOWN).map((path) => (
                <li class="mono">{path}</li>
              ))}
            </ul>
          </>
        )}
      </section>
    </SessionFrame>
  );
}

const WORDS: Record<DryRun['action'], string> = {
  skip: 'It would change nothing',
  micro: 'It would clear old tool results',
  full: 'It would summarise',
  remote: 'The provider would compact it',
};
