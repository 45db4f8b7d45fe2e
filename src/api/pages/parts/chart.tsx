import type { readTokenCourse } from '../../../app/token-course.ts';
import { counted } from '../../../domain/counted.ts';
import { groupBy } from '../../../domain/group-by.ts';
import type { Accepted } from '../../../domain/session/errors.ts';
import { BASE } from '../assets.ts';
import { count, short } from './figures.tsx';
import { outcomeOf } from './tags.tsx';

type Course = Accepted<Awaited<ReturnType<typeof readTokenCourse>>>;

/** Of the coordinate system of the curve, in which both axes are stretched to the page. */
const SIDE = 1_000;
/** Columns of the curve: of more points in one only the first, lowest, highest and last are drawn. */
const COLUMNS = 400;

/**
 * Tokens over versions. Places are in percent of the width and height, so that letters and marks keep
 * their size however wide the page is; the policy of the pages allows no styles of their own.
 */
export function Chart({ course, session }: { course: Course; session: string }) {
  const { points, from, version, window, threshold, exact_from, compactions } = course;
  const largest = points.reduce((most, { tokens }) => Math.max(most, tokens), 0);
  const top = Math.max(window, largest, threshold) * 1.08;
  const x = (at: number) => ((at - from) / Math.max(1, version - from)) * 100;
  const y = (tokens: number) => 100 - (tokens / top) * 100;
  const exact = points.filter((point) => point.version >= exact_from);
  const rough = points.filter((point) => point.version <= exact_from);
  const label =
    `Tokens of the context from version ${from} to ${version}: now ${count(course.tokens)} of ` +
    `${count(window)}, compacts at ${count(threshold)}; ${counted(compactions.length, 'compaction')}.`;
  return (
    <figure class="chart">
      {/* biome-ignore lint/a11y/useSemanticElements: the links inside are to be reached, which an image hides */}
      <svg class="plot" role="group" aria-label={label}>
        <rect class="over" x="0" y={percent(0)} width="100%" height={percent(y(threshold))} />
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${SIDE} ${SIDE}`}
          preserveAspectRatio="none"
          width="100%"
          height="100%"
        >
          <path class="area" d={areaOf(points, x, y)} />
          {rough.length > 1 && <path class="line rough" d={pathOf(rough, x, y, 'straight')} />}
          <path class="line" d={pathOf(exact, x, y, 'steps')} />
        </svg>
        <Level name="window" tokens={window} y={y(window)} />
        <Level name="threshold" tokens={threshold} y={y(threshold)} />
        {compactions.map((mark) => (
          <a
            class={`mark ${outcomeOf(mark.outcome, mark.is_reverted).fate}`}
            href={`${BASE}/sessions/${session}/compactions/${mark.id}`}
          >
            <title>{markLabel(mark)}</title>
            <line x1={percent(x(mark.version))} x2={percent(x(mark.version))} y1="0" y2="100%" />
            <circle cx={percent(x(mark.version))} cy={percent(y(mark.tokens_before ?? 0))} r="10" />
            <text x={percent(x(mark.version))} y={percent(y(mark.tokens_before ?? 0))} dy="4.5">
              {outcomeOf(mark.outcome, mark.is_reverted).sign}
            </text>
          </a>
        ))}
        <circle class="now" cx={percent(x(version))} cy={percent(y(course.tokens))} r="4.5" />
      </svg>
      <div class="axis" aria-hidden="true">
        <span>version {count(from)}</span>
        <span>{count(version)} now</span>
      </div>
      <figcaption>
        <span class="key">
          <span class="sign tag summarised">Σ</span> summarised
        </span>
        <span class="key">
          <span class="sign tag cleared">×</span> results cleared
        </span>
        <span class="key">
          <span class="sign tag gone">⤺</span> reverted
        </span>
        {rough.length > 1 && (
          <span class="key">
            dashed before version {count(exact_from)}: straight between compactions
          </span>
        )}
      </figcaption>
    </figure>
  );
}

function Level({ name, tokens, y }: { name: 'window' | 'threshold'; tokens: number; y: number }) {
  const words = name === 'window' ? 'window' : 'compacts at';
  return (
    <g class={`level ${name}`}>
      <line x1="0" x2="100%" y1={percent(y)} y2={percent(y)} />
      <text x="6" y={percent(y)} dy={name === 'window' ? -5 : 14}>
        {`${words} ${short(tokens)}`}
      </text>
    </g>
  );
}

function markLabel({
  version,
  outcome,
  is_reverted,
  tokens_before,
  tokens_after,
}: Course['compactions'][number]): string {
  const { label } = outcomeOf(outcome, is_reverted);
  const change =
    tokens_before === null || tokens_after === null
      ? ''
      : `, ${count(tokens_before)} to ${count(tokens_after)} tokens`;
  return `Compaction at version ${version}: ${label}${change}`;
}

type Scale = (value: number) => number;
type Points = readonly { version: number; tokens: number }[];

function pathOf(points: Points, x: Scale, y: Scale, kind: 'straight' | 'steps'): string {
  const places = thinned(points, x).map(({ version, tokens }) => [
    place(x(version)),
    place(y(tokens)),
  ]);
  return places
    .map(([left, up], index) => {
      if (index === 0) return `M${left} ${up}`;
      return kind === 'steps' ? `H${left}V${up}` : `L${left} ${up}`;
    })
    .join('');
}

function areaOf(points: Points, x: Scale, y: Scale): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  const curve = pathOf(points, x, y, 'straight');
  return `${curve}L${place(x(last.version))} ${SIDE}L${place(x(first.version))} ${SIDE}Z`;
}

function thinned(points: Points, x: Scale): Points {
  const columns = groupBy(points, ({ version }) => Math.floor((x(version) / 100) * COLUMNS));
  return [...columns.values()].flatMap((own) => {
    if (own.length <= 4) return own;
    const sorted = [...own].sort((a, b) => a.tokens - b.tokens);
    const shown = new Set([own[0], sorted[0], sorted.at(-1), own.at(-1)]);
    return own.filter((point) => shown.has(point));
  });
}

function place(value: number): string {
  return ((value * SIDE) / 100).toFixed(1);
}

function percent(value: number): string {
  return `${Math.min(100, Math.max(0, value)).toFixed(2)}%`;
}
