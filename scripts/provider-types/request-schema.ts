import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

/** The parts of JSON Schema that the generator makes of the SDKs' types. */
export type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  const?: string;
  enum?: (string | null)[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
};
export type Definitions = Record<string, Schema>;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ROOTS = fileURLToPath(new URL('./roots.ts', import.meta.url));
const PACKAGES = ['openai', '@anthropic-ai/sdk', 'ts-json-schema-generator'];

/**
 * The request types of the installed SDKs as JSON Schema definitions, unknown fields forbidden. They
 * take seconds to make, so they are kept in node_modules/.cache for as long as the packages stay.
 */
export function requestDefinitions(): Definitions {
  const versions = PACKAGES.map((name) => `${name.replace('/', '_')}-${versionOf(name)}`).join('+');
  const cached = join(ROOT, 'node_modules/.cache/provider-types', `${versions}.json`);
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8')) as Definitions;
  const generator = createGenerator({
    path: ROOTS,
    tsconfig: join(ROOT, 'tsconfig.json'),
    type: 'RequestRoots',
    skipTypeCheck: true,
    additionalProperties: false,
    jsDoc: 'none',
  });
  const { definitions } = generator.createSchema('RequestRoots');
  mkdirSync(dirname(cached), { recursive: true });
  const temporary = `${cached}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(definitions));
  renameSync(temporary, cached);
  return definitions as Definitions;
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
