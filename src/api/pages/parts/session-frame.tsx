import type { PropsWithChildren } from 'hono/jsx';
import type { Visitor } from '../access.ts';
import { Layout } from '../layout.tsx';
import { sessionPath, withQuery } from '../paths.ts';

const TABS = [
  { name: 'timeline', label: 'Timeline', path: '' },
  { name: 'context', label: 'Context', path: '/context' },
  { name: 'log', label: 'Log', path: '/log' },
  { name: 'search', label: 'Search', path: '/search' },
] as const;

/** The frame of the pages of one session. `live`: the version after which changes are listened for. */
export function SessionFrame({
  id,
  title,
  visitor,
  tab,
  crumb,
  live,
  children,
}: PropsWithChildren<{
  id: string;
  title: string;
  visitor: Visitor;
  tab: (typeof TABS)[number]['name'] | null;
  crumb?: string;
  live?: number;
}>) {
  const path = sessionPath(id);
  const crumbs =
    crumb === undefined ? [{ label: id }] : [{ label: id, href: path }, { label: crumb }];
  return (
    <Layout
      title={`${title} · ${id}`}
      visitor={visitor}
      crumbs={crumbs}
      {...(live === undefined ? {} : { live: withQuery(`${path}/live`, { after: live }) })}
    >
      <nav class="tabs" aria-label="Session">
        {TABS.map(({ name, label, path: below }) => (
          <a href={`${path}${below}`} {...(tab === name ? { 'aria-current': 'page' } : {})}>
            {label}
          </a>
        ))}
      </nav>
      {children}
    </Layout>
  );
}
