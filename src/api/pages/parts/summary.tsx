import type { SummaryLine } from '../../../app/compaction-page.ts';
import { itemPath } from '../paths.ts';

/** A summary, line by line, as plain text: its headings and lists are shown, nothing in it is run. */
export function SummaryView({
  lines,
  session,
}: {
  lines: readonly SummaryLine[];
  session: string;
}) {
  return (
    <div class="summary-text">
      {lines.map((line) => (
        <Line line={line} session={session} />
      ))}
    </div>
  );
}

function Line({ line: { text, sources }, session }: { line: SummaryLine; session: string }) {
  const heading = /^#{1,6} (.*)$/.exec(text)?.[1];
  if (heading !== undefined) return <h3>{heading}</h3>;
  if (text.trim() === '') return null;
  const item = /^\s*[-*] (.*)$/.exec(text)?.[1];
  return (
    <p class={item === undefined ? '' : 'point'}>
      {item ?? text}
      {sources.length > 0 && (
        <span class="source">
          {' '}
          from{' '}
          {sources.map(({ seq, of, kind }, index) => (
            <>
              {index === 0 ? '' : ', '}
              <a href={itemPath(of ?? session, seq)} title={kind}>
                #{seq}
              </a>
            </>
          ))}
        </span>
      )}
    </p>
  );
}
