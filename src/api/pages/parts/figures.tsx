import { wholePercent } from '../../../app/whole-percent.ts';

const NUMBERS = new Intl.NumberFormat('en-US');

/** A whole number with its thousands apart. */
export function count(value: number): string {
  return NUMBERS.format(Math.round(value));
}

/** About how many, in at most four characters and a letter, where there is little room. */
export function short(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 10_000) return `${(value / 1_000).toFixed(1)}k`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

export function share(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %';
  return part * 100 < whole ? '< 1 %' : `${wholePercent(part / whole)} %`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

export function usd(value: number | null): string {
  if (value === null) return 'unknown';
  if (value === 0) return '$0';
  return Math.abs(value) < 0.01 ? `$${value.toFixed(5)}` : `$${value.toFixed(2)}`;
}

/** A moment; the script says beside it how long ago that is. */
export function When({ at }: { at: string }) {
  return (
    <time datetime={at} title={at}>
      {at.slice(0, 10)} {at.slice(11, 16)}
    </time>
  );
}

/** The beginning of a text, on one line. */
export function beginning(text: string, most: number): string {
  const line = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
