import type { Child } from 'hono/jsx';
import { codecFor, type Format } from '../../../domain/items/codecs.ts';
import { IMAGE_NOTE } from '../../../domain/items/convert.ts';
import type {
  ImagePart,
  Item,
  Message,
  Normalised,
  Part,
  ToolResult,
} from '../../../domain/items/item.ts';
import type { Entry, Origin } from '../../../domain/session/entry.ts';
import { itemPath } from '../paths.ts';
import { beginning, count } from './figures.tsx';
import { type Fate, FateTag } from './tags.tsx';

/** Characters of one entry that are shown: escaped they may be six times as many bytes. */
const CHARACTERS = 4_000;
const PARTS = 12;

const MADE: Partial<Record<Origin, { fate: Fate; label: string }>> = {
  boundary: { fate: 'summarised', label: 'boundary' },
  summary: { fate: 'summarised', label: 'summary' },
  remote: { fate: 'summarised', label: 'summary of the provider' },
  preserved: { fate: 'kept', label: 'kept word for word' },
  pinned: { fate: 'kept', label: 'pinned' },
  file: { fate: 'restored', label: 'file put back' },
  todo: { fate: 'restored', label: 'todos put back' },
  plan: { fate: 'restored', label: 'plan put back' },
  hook: { fate: 'added', label: 'from a hook' },
  ghost: { fate: 'added', label: 'of the client' },
  initial: { fate: 'kept', label: 'from the start' },
  instructions: { fate: 'kept', label: 'instructions' },
};

/** One entry of a context, cut to what can be read at a glance. */
export function EntryView({
  entry,
  format,
  session,
}: {
  entry: Entry & { edit: string | null };
  format: Format;
  session: string;
}) {
  const { seq, item, tokens, origin, edit } = entry;
  const made = MADE[origin];
  const who = whoOf(item, format);
  return (
    <article class={`entry by-${made === undefined ? who.by : made.fate}`}>
      <header>
        <span class="who">{who.label}</span>
        {made !== undefined && <FateTag fate={made.fate} label={made.label} />}
        {edit !== null && <FateTag fate="cleared" label={edit} />}
        <span class="spring" />
        <span class="faint">{count(tokens)} tokens</span>
        {seq !== null && (
          <a href={itemPath(session, seq)} aria-label={`Item ${seq}: the original and its way`}>
            #{seq}
          </a>
        )}
      </header>
      <ItemBody
        item={item}
        format={format}
        most={CHARACTERS}
        more={seq === null ? null : itemPath(session, seq)}
      />
    </article>
  );
}

/** Who says an item, in a few words. */
export function whoOf(item: Item, format: Format): { by: string; label: string } {
  const read = codecFor(format).normalise(item);
  switch (read.kind) {
    case 'message':
      return messageBy(read);
    case 'attachment':
      return { by: 'restored', label: `${read.attachment}${read.path ? ` ${read.path}` : ''}` };
    case 'system':
      return { by: 'system', label: read.subtype };
    case 'progress':
      return { by: 'system', label: 'progress' };
    case 'ghost_snapshot':
      return { by: 'system', label: 'snapshot' };
    default:
      return read satisfies never;
  }
}

function messageBy({ role, parts }: Message): { by: string; label: string } {
  const results = parts.filter(({ kind }) => kind === 'tool_result').length;
  if (results > 0 && results === parts.length) {
    return { by: 'tool', label: results === 1 ? 'tool result' : `${results} tool results` };
  }
  const calls = parts.flatMap((part) => (part.kind === 'tool_call' ? [part.name] : []));
  if (calls.length === 0) return { by: role, label: role };
  return { by: role, label: `${role} → ${beginning(calls.slice(0, 3).join(', '), 60)}` };
}

/** What an item says; `more` is where the rest is when it is cut after `most` characters. */
export function ItemBody({
  item,
  format,
  most,
  more,
}: {
  item: Item;
  format: Format;
  most: number;
  more: string | null;
}) {
  const read = codecFor(format).normalise(item);
  const parts: Part[] =
    read.kind === 'message' ? read.parts : [{ kind: 'text', text: otherText(read, item) }];
  const shown: Child[] = [];
  let left = most;
  for (const part of parts.slice(0, PARTS)) {
    if (left <= 0) break;
    const { label, text } = partText(part);
    shown.push(
      <div class={`part ${part.kind}`}>
        {label !== null && <span class="what">{label}</span>}
        <pre tabindex={0}>{text.slice(0, left)}</pre>
      </div>,
    );
    left -= text.length;
  }
  const isCut = left < 0 || parts.length > shown.length;
  return (
    <div class="body">
      {shown}
      {isCut && (
        <p class="faint">… cut here. {more !== null && <a href={more}>Show all of it</a>}</p>
      )}
    </div>
  );
}

/** The beginning of what an item says, on one line. */
export function itemBeginning(item: Item, format: Format, most: number): string {
  const read = codecFor(format).normalise(item);
  if (read.kind !== 'message') return beginning(read.kind === 'attachment' ? read.text : '', most);
  const [part] = read.parts;
  return part === undefined ? '' : beginning(partText(part).text, most);
}

/** What stands for thinking that the provider keeps to itself: it is there, and may be long. */
const WITHOUT_WORDS = '(thinking)';

function partText(part: Part): { label: string | null; text: string } {
  switch (part.kind) {
    case 'text':
      return { label: null, text: part.text };
    case 'thinking':
      return { label: 'thinking', text: part.text || WITHOUT_WORDS };
    case 'tool_call':
      return { label: `calls ${beginning(part.name, 60)}`, text: inputText(part.input) };
    case 'tool_result':
      return { label: part.is_error ? 'error' : null, text: resultText(part) };
    case 'image':
      return { label: 'image', text: imageText(part) };
    case 'opaque':
      return { label: 'of the provider', text: JSON.stringify(part.json) };
    default:
      return part satisfies never;
  }
}

function imageText({ width, height }: ImagePart): string {
  return width === undefined || height === undefined ? IMAGE_NOTE : `[${width} × ${height}]`;
}

function resultText({ content }: ToolResult): string {
  return content.map((part) => partText(part).text).join('\n');
}

function inputText(input: Extract<Part, { kind: 'tool_call' }>['input']): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2);
}

function otherText(read: Exclude<Normalised, Message>, item: Item): string {
  switch (read.kind) {
    case 'attachment':
      return read.text;
    case 'system':
      return read.content;
    case 'progress':
    case 'ghost_snapshot':
      return JSON.stringify(item);
    default:
      return read satisfies never;
  }
}
