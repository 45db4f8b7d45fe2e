import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import { ElsewhereError } from '../../app/ports/elsewhere-error.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import type { Api } from '../http/endpoint.ts';
import { readBody } from '../http/json-body.ts';
import { ProblemError, problemStatus } from '../http/problem.ts';
import { problemOf } from '../http/problem-of.ts';
import { lenientQueryReader } from '../http/query.ts';
import { thrown } from '../http/thrown.ts';
import { parseInput } from '../http/validation.ts';
import type { Access, Visitor } from './access.ts';
import { BASE } from './assets.ts';
import { ErrorPage } from './error-page.tsx';

/** What all pages share. */
export type Site = {
  api: Api;
  access: Access;
  /** Takes a request from the budget of its tenant, and notes whose body it has. Throws ProblemError (429). */
  admit: (request: Request, tenant: string) => void;
};

type PageCall<Params, Query> = {
  c: Context;
  visitor: Visitor;
  params: Params;
  query: Query;
};

type Shape<T> = z.ZodType<T>;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Adds a page: who may see it is asked, path and query are checked, and what goes wrong is said in words. */
export function addPage<Params, Query>(
  site: Site,
  page: {
    path: string;
    params: Shape<Params>;
    query: Shape<Query>;
    render: (call: PageCall<Params, Query>) => Promise<Child | Response>;
  },
): void {
  const readQuery = lenientQueryReader(page.query);
  site.api.app.get(page.path, (c) =>
    answered(site, c, 'get', async (visitor) => {
      const params = parseInput(page.params, c.req.param(), 'the address');
      const query = readQuery(withoutEmpty(c.req.url));
      const call = { c, visitor, params, query };
      const body = await site.api.inTurn(visitor.tenant, () => page.render(call));
      return body instanceof Response ? body : html(body);
    }),
  );
}

/** Adds what a form does; it answers with where to go next. */
export function addAction<Params, Form>(
  site: Site,
  action: {
    path: string;
    params: Shape<Params>;
    form: Shape<Form>;
    run: (call: PageCall<Params, Form>) => Promise<string>;
  },
): void {
  const { access, api } = site;
  site.api.app.post(action.path, (c) =>
    answered(site, c, 'post', async (visitor) => {
      access.refuseForeign(c.req.raw);
      const form = await readForm(c.req.raw, api.deps.limits);
      access.refuseForged(visitor, form.token ?? '');
      const params = parseInput(action.params, c.req.param(), 'the address');
      const query = parseInput(action.form, form, 'the form');
      return c.redirect(await action.run({ c, visitor, params, query }), 303);
    }),
  );
}

/** Answers a visitor; without one, where keys are set, the page to log in. */
export async function answered(
  { api, access, admit }: Site,
  c: Context,
  method: 'get' | 'post',
  answer: (visitor: Visitor) => Promise<Response>,
): Promise<Response> {
  let visitor: Visitor | null = null;
  try {
    visitor = await access.visitor(c);
    const { tenant } = visitor;
    admit(c.req.raw, tenant);
    try {
      return await answer(visitor);
    } catch (error) {
      if (!(error instanceof ElsewhereError) || api.passOn === null) throw error;
      return await api.passOn({ c, tenant }, method);
    }
  } catch (error) {
    const problem = problemOf(thrown(error, method), c, api.deps.log);
    if (problem.code === 'unauthorized' && method === 'get') return c.redirect(loginPath(c), 303);
    return problemPage(problem, visitor);
  }
}

function loginPath(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  const next = `${pathname}${search}`;
  return next === '/' ? `${BASE}/login` : `${BASE}/login?next=${encodeURIComponent(next)}`;
}

export function problemPage(problem: ProblemError, visitor: Visitor | null): Response {
  const { 'WWW-Authenticate': _asks, ...headers } = problem.headers;
  const status = problemStatus(problem.code);
  return html(<ErrorPage problem={problem} visitor={visitor} />, status, headers);
}

export function html(body: Child, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(`<!doctype html>\n${visible(String(body))}`, {
    status,
    headers: { ...HEADERS, ...headers },
  });
}

/** Signs of control have no place in a page: browsers drop some and show others as nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** The page with pictures of them in their place, such as ␀. */
function visible(html: string): string {
  return html.replace(CONTROLS, (sign) =>
    String.fromCodePoint(sign === '\u007f' ? 0x2421 : 0x2400 + sign.charCodeAt(0)),
  );
}

/** The fields of a form that are filled in. Throws ProblemError: 413, 415. */
export async function readForm(
  request: Request,
  limits: Parameters<typeof readBody>[1],
): Promise<Record<string, string>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new ProblemError(
      'unsupported_media_type',
      'send this form as application/x-www-form-urlencoded',
    );
  }
  const text = new TextDecoder().decode(await readBody(request, limits));
  return Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ''));
}

/** A field of a form that was left empty was not given. */
function withoutEmpty(url: string): string {
  const { searchParams, pathname, origin } = new URL(url);
  const given = [...searchParams].filter(([, value]) => value.trim() !== '');
  return `${origin}${pathname}?${new URLSearchParams(given)}`;
}

export const noFields = z.object({});

export function sessionRef(call: PageCall<{ id: string }, unknown>): SessionRef {
  return { tenant: call.visitor.tenant, session_id: call.params.id };
}
