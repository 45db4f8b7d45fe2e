// The files that `/docs` is made of, the library with its licence: see src/api/reference/routes.ts.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const to = fileURLToPath(new URL('../dist/api/reference/assets', import.meta.url));
mkdirSync(to, { recursive: true });
const examples = '../src/api/reference/examples.json';
copyFileSync(fileURLToPath(new URL(examples, import.meta.url)), join(to, '../examples.json'));
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']) {
  copyFileSync(join(from, name), join(to, name));
}
