import type { diff as readDiff } from '../../../app/diff.ts';
import { counted } from '../../../domain/counted.ts';
import type { Format } from '../../../domain/items/codecs.ts';
import type { Origin } from '../../../domain/session/entry.ts';
import type { Accepted } from '../../../domain/session/errors.ts';
import { editKey } from '../../../domain/session/result-edits.ts';
import { compactionPath, itemPath } from '../paths.ts';
import { itemBeginning, whoOf } from './entry.tsx';
import { beginning, count } from './figures.tsx';
import { type Fate, FateTag, SIGNS } from './tags.tsx';

type Diff = Accepted<Awaited<ReturnType<typeof readDiff>>>;
type Piece = { fate: Fate; tokens: number };

const SHOWN = 25;
const RANGES = 40;

/** The context before and after, side by side. Tokens are estimates without margin. */
export function DiffView({
  diff,
  standIns,
  format,
  session,
}: {
  diff: Diff;
  /** What stands in place of a result now, by its `editKey`. */
  standIns: ReadonlyMap<string, string>;
  format: Format;
  session: string;
}) {
  const { tokens, kept, cleared, removed, added, compaction_id } = diff;
  const fates = { summarised: 0, restored: 0, added: 0, kept: 0, cleared: 0 };
  for (const { origin, tokens: own } of added) fates[fateOf(origin)] += own;
  const before: Piece[] = [
    { fate: 'summarised', tokens: tokens.removed },
    { fate: 'cleared', tokens: tokens.cleared },
    { fate: 'kept', tokens: tokens.kept },
  ];
  const after: Piece[] = [
    { fate: 'summarised', tokens: fates.summarised },
    { fate: 'restored', tokens: fates.restored },
    { fate: 'added', tokens: fates.added },
    { fate: 'kept', tokens: tokens.kept + fates.kept },
  ];
  if (removed.length + cleared.length + added.length === 0) {
    return (
      <p class="empty">
        It changed nothing: the context is what it was, {counted(kept.length, 'item')} with{' '}
        {count(tokens.after)} tokens.
      </p>
    );
  }
  return (
    <div class="sides">
      <section class="card side" aria-labelledby="before">
        <h3 id="before">
          <span>Before</span> <span class="num">{count(tokens.before)} tokens</span>
        </h3>
        <Bar pieces={before} whole={tokens.before} />
        {removed.length > 0 && (
          <Piece
            fate="summarised"
            words={`${counted(removed.length, 'item')} replaced by the summary`}
            tokens={tokens.removed}
          />
        )}
        <ul class="pieces">
          {removed.slice(0, SHOWN).map(({ seq, item, tokens: own }) => (
            <li>
              {seq === null ? (
                <span class="faint">made</span>
              ) : (
                <a href={itemPath(session, seq)}>#{seq}</a>
              )}
              <span class="text">
                {whoOf(item, format).label}: {itemBeginning(item, format, 90)}
              </span>
              <span class="num faint">{count(own)}</span>
            </li>
          ))}
        </ul>
        {removed.length > SHOWN && (
          <p>
            <a href={`${compactionPath(session, compaction_id)}/covered`}>
              All {count(removed.length)} that it took away
            </a>
          </p>
        )}
        {cleared.length > 0 && (
          <Piece
            fate="cleared"
            words={`${counted(cleared.length, 'tool result')} cleared or shortened`}
            tokens={tokens.cleared}
          />
        )}
        <ul class="pieces">
          {cleared
            .slice(0, SHOWN)
            .map(({ seq, tool_use_id, kind, tokens_before, tokens_after }) => (
              <li>
                <a href={itemPath(session, seq)}>#{seq}</a>
                <span class="text">
                  {kind}: {beginning(standIns.get(editKey(seq, tool_use_id)) ?? '', 90)}
                </span>
                <span class="num faint">
                  {count(tokens_before)} → {count(tokens_after)}
                </span>
              </li>
            ))}
        </ul>
        {cleared.length > SHOWN && (
          <p>
            <a href={`${compactionPath(session, compaction_id)}/covered`}>
              All {count(cleared.length)} of them
            </a>
          </p>
        )}
      </section>
      <section class="card side" aria-labelledby="after">
        <h3 id="after">
          <span>After</span> <span class="num">{count(tokens.after)} tokens</span>
        </h3>
        <Bar pieces={after} whole={Math.max(tokens.before, tokens.after)} />
        <ul class="pieces">
          {added.slice(0, SHOWN).map(({ origin, item, tokens: own }) => (
            <li>
              <FateTag fate={fateOf(origin)} label={origin} />
              <span class="text">
                {whoOf(item, format).label}: {itemBeginning(item, format, 90)}
              </span>
              <span class="num faint">{count(own)}</span>
            </li>
          ))}
        </ul>
        {added.length > SHOWN && <p class="faint">and {count(added.length - SHOWN)} more</p>}
        <Piece
          fate="kept"
          words={`${counted(kept.length, 'item')} kept${keptHow(cleared)}`}
          tokens={tokens.kept}
        />
        <p class="faint">{rangesOf(kept)}</p>
      </section>
    </div>
  );
}

/** An item whose result is shortened is kept as well, but not as it was. */
function keptHow(cleared: Diff['cleared']): string {
  const items = new Set(cleared.map(({ seq }) => seq)).size;
  return items === 0 ? ' as they were' : `, of which ${count(items)} with their results shortened`;
}

function fateOf(origin: Origin): Fate {
  switch (origin) {
    case 'boundary':
    case 'summary':
    case 'remote':
      return 'summarised';
    case 'file':
    case 'todo':
    case 'plan':
      return 'restored';
    case 'preserved':
    case 'log':
    case 'initial':
    case 'pinned':
    case 'instructions':
      return 'kept';
    case 'hook':
    case 'ghost':
      return 'added';
    default:
      return origin satisfies never;
  }
}

function Piece({ fate, words, tokens }: Piece & { words: string }) {
  return (
    <p class="piece">
      <FateTag fate={fate} /> {words} <span class="faint">{count(tokens)} tokens</span>
    </p>
  );
}

/** A bar of pieces, each with its sign where there is room for one. */
function Bar({ pieces, whole }: { pieces: readonly Piece[]; whole: number }) {
  const words = pieces
    .filter(({ tokens }) => tokens > 0)
    .map(({ fate, tokens }) => `${fate} ${count(tokens)}`)
    .join(', ');
  let left = 0;
  return (
    <svg class="stackbar" role="img" aria-label={words === '' ? 'nothing' : `${words} tokens`}>
      <rect class="free" width="100%" height="100%" rx="6" />
      {pieces.map(({ fate, tokens }) => {
        const x = left;
        const width = (tokens / Math.max(1, whole)) * 100;
        left += width;
        return (
          <g>
            <rect class={fate} x={percent(x)} width={percent(width)} height="100%" />
            {width > 4 && (
              <text class={fate} x={percent(x + width / 2)} y="50%" dy="5">
                {SIGNS[fate]}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function percent(value: number): string {
  return `${value.toFixed(3)}%`;
}

/** The numbers of entries, those that follow each other as one range. */
function rangesOf(entries: readonly { seq: number | null }[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const { seq } of entries) {
    if (seq === null) continue;
    const last = ranges.at(-1);
    // Events that are no items stand in between.
    if (last !== undefined && seq - last.to <= 4) last.to = seq;
    else ranges.push({ from: seq, to: seq });
  }
  const shown = ranges
    .slice(0, RANGES)
    .map(({ from, to }) => (from === to ? `#${from}` : `#${from}–${to}`));
  return [...shown, ...(ranges.length > RANGES ? ['…'] : [])].join(', ');
}
