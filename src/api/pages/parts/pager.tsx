import { count } from './figures.tsx';

/** Links to the page before and after; null where there is none. */
export function Pager({
  label,
  before,
  after,
  place,
}: {
  label: string;
  before: string | null;
  after: string | null;
  place?: string;
}) {
  if (before === null && after === null) return null;
  return (
    <nav class="pager" aria-label={label}>
      {before === null ? (
        <span />
      ) : (
        <a href={before}>← {label === 'Entries' ? 'Earlier' : 'Back'}</a>
      )}
      {place !== undefined && <span class="faint">{place}</span>}
      {after === null ? <span /> : <a href={after}>{label === 'Entries' ? 'Later' : 'More'} →</a>}
    </nav>
  );
}

export function pageOf(page: number, pages: number): string {
  return `page ${count(page + 1)} of ${count(pages)}`;
}
