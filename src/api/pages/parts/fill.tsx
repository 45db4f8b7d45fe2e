import type { Fill, FillShare } from '../../../domain/context/fill.ts';
import { count, share } from './figures.tsx';

const LABELS: Record<Fill, string> = {
  system: 'system',
  summary: 'summary',
  restored: 'restored',
  user: 'user',
  assistant: 'assistant',
  tool_result: 'results',
  other: 'other',
};

/** Tools that are named; the others are shown as one. */
const TOOLS = 6;

type Row = { fill: Fill; label: string; tokens: number; shade: number };

/** The window, split by what fills it, as a bar and in figures. */
export function FillBar({ fill, window }: { fill: readonly FillShare[]; window: number }) {
  const rows = rowsOf(fill);
  const used = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  const whole = Math.max(window, used, 1);
  let left = 0;
  return (
    <div class="fill">
      <svg
        class="bar"
        role="img"
        aria-label={`${count(used)} of ${count(window)} tokens are filled`}
      >
        <rect class="free" width="100%" height="100%" />
        {rows.map(({ fill: kind, label, tokens, shade }) => {
          const x = left;
          const width = (tokens / whole) * 100;
          left += width;
          return (
            <rect
              class={`fill-${kind} shade-${shade}`}
              x={`${x.toFixed(3)}%`}
              width={`${width.toFixed(3)}%`}
              height="100%"
            >
              <title>{`${label}: ${count(tokens)} tokens`}</title>
            </rect>
          );
        })}
      </svg>
      <ul class="fills">
        {rows.map(({ fill: kind, label, tokens, shade }) => (
          <li>
            <svg class="swatch" aria-hidden="true">
              <rect class={`fill-${kind} shade-${shade}`} width="100%" height="100%" />
            </svg>
            <span class="what">{label}</span>
            <span class="num">{count(tokens)}</span>
            <span class="num faint">{share(tokens, whole)}</span>
          </li>
        ))}
        <li>
          <svg class="swatch" aria-hidden="true">
            <rect class="free" width="100%" height="100%" />
          </svg>
          <span class="what">free</span>
          <span class="num">{count(Math.max(0, window - used))}</span>
          <span class="num faint">{share(Math.max(0, window - used), whole)}</span>
        </li>
      </ul>
    </div>
  );
}

function rowsOf(fill: readonly FillShare[]): Row[] {
  const tools = fill.filter(({ fill: kind }) => kind === 'tool_result');
  const others = tools.slice(TOOLS).reduce((sum, { tokens }) => sum + tokens, 0);
  return [
    ...fill
      .filter(({ fill: kind }) => kind !== 'tool_result')
      .map(({ fill: kind, tokens }) => ({ fill: kind, label: LABELS[kind], tokens, shade: 0 })),
    ...tools.slice(0, TOOLS).map(({ fill: kind, tool, tokens }, index) => ({
      fill: kind,
      label: `${tool ?? 'tool'} results`,
      tokens,
      shade: index % 3,
    })),
    ...(others > 0
      ? [
          {
            fill: 'tool_result' as const,
            label: 'results of other tools',
            tokens: others,
            shade: 0,
          },
        ]
      : []),
  ];
}
