import type { Source } from './sources.ts';

/** One rule of the house over a set of sources: one sentence per breach, with the file's name. */
export type Rule = (sources: readonly Source[]) => string[];

/** Clock, randomness, environment and IO that need no import. */
const IMPURE =
  /\bnew Date\b|\bDate(?:\.|\()|\bMath\.random\b|\bprocess\.|\bcrypto\.|\bperformance\.|\bset(?:Timeout|Interval|Immediate)\(|\bfetch\(|\bconsole\.|\bglobalThis\b/;

const MOST_LINES = 400;

export const domainIsPure: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith('src/domain/'))
    .flatMap((source) => linesThat(IMPURE, source));

export const filesAreShort: Rule = (sources) =>
  sources
    .filter(({ path }) => !path.endsWith('/generated.ts'))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n').length - 1;
      return lines > MOST_LINES ? [`${path} has ${lines} lines, more than ${MOST_LINES}`] : [];
    });

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
