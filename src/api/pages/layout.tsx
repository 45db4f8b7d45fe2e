import type { PropsWithChildren } from 'hono/jsx';
import type { Visitor } from './access.ts';
import { assetUrl, BASE } from './assets.ts';

type Crumb = { label: string; href?: string };

/** The frame of every page. `live`: the address of the events on which the page is read anew. */
export function Layout({
  title,
  visitor,
  crumbs = [],
  live,
  hasFind = true,
  children,
}: PropsWithChildren<{
  title: string;
  visitor: Visitor | null;
  crumbs?: readonly Crumb[];
  live?: string;
  /** Not where the page itself has such a field. */
  hasFind?: boolean;
}>) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Palimpsest`}</title>
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl('inspector.css')} />
        <script src={assetUrl('inspector.js')} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            <img src={assetUrl('icon.svg')} alt="" width="24" height="24" />
            Palimpsest
          </a>
          {visitor !== null && hasFind && (
            <form class="find" action={`${BASE}/search`}>
              <input
                type="search"
                name="q"
                aria-label="Search all sessions"
                placeholder="Search all sessions"
                maxlength={500}
              />
            </form>
          )}
          <p class="live-dot" role="status" hidden />
          <nav class="links" aria-label="Service">
            {visitor !== null && <a href={`${BASE}/import`}>Import</a>}
            <a href="/docs">API</a>
            {visitor?.hasCookie === true && (
              <form method="post" action={`${BASE}/logout`}>
                <input type="hidden" name="token" value={visitor.token} />
                <button class="plain" type="submit">
                  Log out {visitor.tenant}
                </button>
              </form>
            )}
          </nav>
        </header>
        {crumbs.length > 0 && (
          <nav class="crumbs" aria-label="Where you are">
            <ol>
              <li>
                <a href="/">Sessions</a>
              </li>
              {crumbs.map(({ label, href }) => (
                <li>
                  {href === undefined ? (
                    <span aria-current="page">{label}</span>
                  ) : (
                    <a href={href}>{label}</a>
                  )}
                </li>
              ))}
            </ol>
          </nav>
        )}
        <main id="main" tabindex={-1} {...(live === undefined ? {} : { 'data-live': live })}>
          {children}
        </main>
      </body>
    </html>
  );
}
