import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from 'hono';
import { type Api, addOpenRoute, noQuery } from '../http/endpoint.ts';
import { openApiDocument } from './document.ts';

const WRITTEN = new URL('./openapi.json', import.meta.url);

/** What the page may load: only this server's own files, no inline script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Palimpsest API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/init.js"></script>
</body>
</html>
`;

const INIT_SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
});
`;

const LIBRARY_FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** `/openapi.json`, `/docs` and `/`: open to everybody, there is no data in them. */
export function addReferenceRoutes({ app, deps }: Api): void {
  /** Made once, however many ask for it at the same time. */
  let document: Promise<string> | null = null;
  const open = (path: string, handle: (c: Context) => Response | Promise<Response>) =>
    addOpenRoute(app, path, noQuery, handle);
  open('/openapi.json', async (c) => {
    document ??= writtenDocument() ?? openApiDocument(app, deps.version);
    return c.body(await document, 200, { 'Content-Type': 'application/json' });
  });
  open('/docs', (c) => asset(c, PAGE, 'text/html; charset=utf-8'));
  open('/docs/assets/init.js', (c) => asset(c, INIT_SCRIPT, 'text/javascript; charset=utf-8'));
  for (const [name, type] of Object.entries(LIBRARY_FILES)) {
    open(`/docs/assets/${name}`, async (c) =>
      asset(c, await readFile(join(libraryFolder(), name), 'utf8'), type),
    );
  }
  open('/', (c) =>
    c.json({
      name: 'palimpsest',
      version: deps.version,
      reference: '/docs',
      openapi: '/openapi.json',
      sessions: '/sessions',
      health: '/healthz',
      readiness: '/readyz',
    }),
  );
}

/** A build holds the document, which takes a tenth of a second to make. */
function writtenDocument(): Promise<string> | null {
  return existsSync(WRITTEN) ? readFile(WRITTEN, 'utf8') : null;
}

/** A build holds the two files, so that 12 MB need not be installed for them. */
function libraryFolder(): string {
  const built = fileURLToPath(new URL('./assets', import.meta.url));
  if (existsSync(built)) return built;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

function asset(c: Context, text: string, type: string): Response {
  return c.body(text, 200, {
    'Content-Type': type,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'public, max-age=3600',
  });
}
