import { count } from './figures.tsx';

/** How full a window is, and where it is compacted. */
export function Meter({
  tokens,
  window,
  threshold,
}: {
  tokens: number;
  window: number;
  threshold: number;
}) {
  const part = (value: number) =>
    `${Math.min(100, (value * 100) / Math.max(1, window)).toFixed(2)}%`;
  return (
    <svg
      class={tokens >= threshold ? 'meter full' : 'meter'}
      role="img"
      aria-label={`${count(tokens)} of ${count(window)} tokens`}
    >
      <rect class="free" width="100%" height="100%" rx="4" />
      <rect class="used" width={part(tokens)} height="100%" rx="4" />
      <line x1={part(threshold)} x2={part(threshold)} y1="0" y2="100%" />
    </svg>
  );
}
