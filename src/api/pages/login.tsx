import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { problemStatus } from '../http/problem.ts';
import { problemOf } from '../http/problem-of.ts';
import { thrown } from '../http/thrown.ts';
import { parseInput } from '../http/validation.ts';
import { COOKIE, COOKIE_SECONDS } from './access.ts';
import { BASE } from './assets.ts';
import { Layout } from './layout.tsx';
import { addAction, html, noFields, problemPage, readForm, type Site } from './page.tsx';
import { withQuery } from './paths.ts';

const LOGIN = `${BASE}/login`;

const loginForm = z.object({
  key: z.string().min(1).max(1_000).optional(),
  next: z.string().max(2_000).optional(),
});

/** Bytes of the form; more than a key and a place is none. Anybody may send it. */
const MOST_BYTES = 16_384;

/** Logging in and out; without keys there is nobody to log in. */
export function addLoginPages(site: Site): void {
  const { access, api } = site;
  api.app.get(LOGIN, (c) => {
    const next = placeOf(c.req.query('next'));
    return access.asksForKey ? html(<Login next={next} />) : c.redirect(next, 303);
  });
  api.app.post(LOGIN, async (c) => {
    let next = '/';
    try {
      access.refuseForeign(c.req.raw);
      const fields = await readForm(c.req.raw, { body_bytes: MOST_BYTES });
      const form = parseInput(loginForm, fields, 'the form');
      next = placeOf(form.next);
      remember(c, await access.logIn(form.key ?? ''), COOKIE_SECONDS);
      return c.redirect(next, 303);
    } catch (error) {
      const problem = problemOf(thrown(error, 'post'), c, api.deps.log);
      if (problem.code !== 'unauthorized') return problemPage(problem, null);
      return html(<Login next={next} isRefused />, problemStatus(problem.code));
    }
  });
  addAction(site, {
    path: `${BASE}/logout`,
    params: noFields,
    form: noFields,
    run: async ({ c }) => {
      remember(c, '', 0);
      return LOGIN;
    },
  });
}

function remember(c: Context, value: string, seconds: number): void {
  // What the browser speaks: behind a proxy the service itself is asked in clear text.
  const secure = c.req.header('origin')?.startsWith('https:') ?? false;
  setCookie(c, COOKIE, value, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    maxAge: seconds,
    secure,
  });
}

/** Only a page of ours: an address that was put in the link leads nowhere else. */
function placeOf(next: string | undefined): string {
  // What no header can carry is in no link of ours.
  const isOwn =
    next !== undefined &&
    /^[\x21-\x7e]*$/.test(next) &&
    (next === '/' || next.startsWith(`${BASE}/`) || next.startsWith('/?'));
  return isOwn && !next.startsWith(LOGIN) ? next : '/';
}

function Login({ next, isRefused = false }: { next: string; isRefused?: boolean }) {
  return (
    <Layout title="Log in" visitor={null}>
      <section class="card narrow">
        <h1>Log in</h1>
        <p>This service asks for a key: one of those that your programs send to it.</p>
        {isRefused && (
          <p class="notice bad" role="alert">
            The service does not know this key: check it, or ask the operator for another.
          </p>
        )}
        <form class="stack" method="post" action={withQuery(LOGIN, {})}>
          <input type="hidden" name="next" value={next} />
          <label for="key">Key</label>
          <input
            id="key"
            name="key"
            type="password"
            required
            autocomplete="current-password"
            autofocus
          />
          <button type="submit">Log in</button>
        </form>
        <p class="faint">You stay logged in for twelve hours, in this browser only.</p>
      </section>
    </Layout>
  );
}
