import type { Api } from '../http/endpoint.ts';
import { ProblemError } from '../http/problem.ts';
import { Access } from './access.ts';
import { addActions } from './actions.tsx';
import { ASSETS, BASE } from './assets.ts';
import { addCompactionPage } from './compaction.tsx';
import { addContextPage } from './context.tsx';
import { addCoveredPage } from './covered.tsx';
import { addDryRunPage } from './dry-run.tsx';
import { addImportPages } from './import.tsx';
import { addItemPage } from './item.tsx';
import { addLivePage } from './live.ts';
import { addLogPage } from './log.tsx';
import { addLoginPages } from './login.tsx';
import { addPage, noFields, type Site } from './page.tsx';
import { addSearchPages } from './search.tsx';
import { sessionsPage } from './sessions.tsx';
import { addTimelinePage } from './timeline.tsx';

/**
 * The inspector (SPEC 2, section 27): pages for people at `/` and below `/inspect`. Who asks `/` for JSON
 * gets that, `next` does it.
 */
export function addPages(api: Api, admit: Site['admit']): void {
  const site: Site = { api, admit, access: new Access(api.deps) };
  addAssets(api);
  api.app.get('/', (c, next) =>
    wantsPage(c.req.header('accept')) ? sessionsPage(site, c) : next(),
  );
  addLoginPages(site);
  addTimelinePage(site);
  addContextPage(site);
  addCompactionPage(site);
  addCoveredPage(site);
  addDryRunPage(site);
  addActions(site);
  addImportPages(site);
  addLogPage(site);
  addItemPage(site);
  addSearchPages(site);
  addLivePage(site);
  addPage(site, {
    path: `${BASE}/*`,
    params: noFields,
    query: noFields,
    render: () =>
      Promise.reject(
        new ProblemError('not_found', 'there is no such page: the address is mistyped'),
      ),
  });
}

/** Also who takes anything: only who names JSON and no HTML wants that. */
function wantsPage(accept = '*/*'): boolean {
  return accept.includes('text/html') || !accept.includes('json');
}

function addAssets({ app }: Api): void {
  for (const { url, text, type } of ASSETS) {
    app.get(url, (c) =>
      c.body(text, 200, {
        'Content-Type': type,
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'public, max-age=31536000, immutable',
      }),
    );
  }
}
