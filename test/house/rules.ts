import { posix } from 'node:path';
import type { Source } from './sources.ts';

/** One rule of the house over a set of sources: one sentence per breach, with the file's name. */
export type Rule = (sources: readonly Source[]) => string[];

/** What each layer may import besides itself; everything else under src wires them together. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  db: ['domain'],
  importers: ['domain'],
  workers: ['db', 'domain'],
  api: ['db', 'domain'],
};

/** Pure packages: no IO, no clock, no randomness. */
const DOMAIN_PACKAGES = /^(?:zod|tokenlens\/models)$/;

/** Clock, randomness, environment and IO that need no import. */
const IMPURE =
  /\bnew Date\b|\bDate(?:\.|\()|\bMath\.random\b|\bprocess\.|\bcrypto\.|\bperformance\.|\bset(?:Timeout|Interval|Immediate)\(|\bfetch\(|\bconsole\.|\bglobalThis\b/;

const ANY = /(?::\s*|\bas\s+|[<,|&]\s*|=>\s*)any\b(?!\s*[:(])/;

const MOST_LINES = 400;

/** The modules that a source imports or exports from, in any spelling, type imports included. */
export function importsOf({ text }: Source): string[] {
  const code = withoutComments(text);
  const spellings = [
    /\b(?:import|export)\s[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /\bimport\s*['"]([^'"]+)['"]/g,
    /\bimport\(\s*['"]([^'"]+)['"]/g,
  ];
  return spellings.flatMap((spelling) =>
    [...code.matchAll(spelling)].flatMap(([, specifier]) => specifier ?? []),
  );
}

/** Imports between layers point inwards (DESIGN, the picture). */
export const importsPointInwards: Rule = (sources) =>
  sources.flatMap((source) => {
    const own = layerOf(source.path);
    const allowed = own === null ? undefined : MAY_IMPORT[own];
    if (own === null || allowed === undefined) return [];
    return localImports(source).flatMap((target) => {
      const layer = layerOf(target);
      if (layer === own || (layer !== null && allowed.includes(layer))) return [];
      return [`${source.path} imports ${target}`];
    });
  });

export const domainImportsOnlyPurePackages: Rule = (sources) =>
  domainOf(sources).flatMap((source) =>
    importsOf(source)
      .filter((specifier) => !specifier.startsWith('.') && !DOMAIN_PACKAGES.test(specifier))
      .map((specifier) => `${source.path} imports ${specifier}`),
  );

export const domainIsPure: Rule = (sources) =>
  domainOf(sources).flatMap((source) => linesThat(IMPURE, source));

/** Each cycle once, as the chain of files that leads back to its first. */
export const noImportCycles: Rule = (sources) => {
  const targets = new Map(sources.map((source) => [source.path, localImports(source)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, chain: readonly string[]): void => {
    const start = chain.indexOf(path);
    if (start !== -1) {
      cycles.push([...chain.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...chain, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return cycles;
};

export const noDefaultExports: Rule = (sources) =>
  sources.flatMap((source) => linesThat(/^export default\b|\bas default\b/, source));

export const noAny: Rule = (sources) => sources.flatMap((source) => linesThat(ANY, source));

export const filesAreShort: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    return lines > MOST_LINES ? [`${path} has ${lines} lines, more than ${MOST_LINES}`] : [];
  });

/** The folder under src that a file belongs to; null: the composition root and the command line. */
function layerOf(path: string): string | null {
  const folder = /^src\/([^/]+)\//.exec(path)?.[1];
  return folder !== undefined && folder in MAY_IMPORT ? folder : null;
}

function domainOf(sources: readonly Source[]): Source[] {
  return sources.filter(({ path }) => layerOf(path) === 'domain');
}

function localImports(source: Source): string[] {
  return importsOf(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(source.path), specifier));
}

function linesThat(pattern: RegExp, source: Source): string[] {
  return withoutComments(source.text)
    .split('\n')
    .flatMap((line, index) =>
      pattern.test(line) ? [`${source.path}:${index + 1} ${line.trim()}`] : [],
    );
}

/** Comments become empty, line by line, so that line numbers stay true. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .map((line) => (/^\s*(?:\/\/|\/\*|\*)/.test(line) ? '' : line.replace(/(^|\s)\/\/ .*$/, '')))
    .join('\n');
}
