import { SIGNATURE } from './code.ts';
import {
  type Asking,
  counted,
  listed,
  type Outline,
  plainOutline,
  SHARE_OF_LIST,
} from './outline.ts';
import { textOf } from './source.ts';

const LONGEST_PATH = 120;
const FILE =
  /^(?:diff --git .{1,400} b\/(.{1,400})|\*\*\* (?:Update|Add|Delete) File: (.{1,400}))$/;
/** Without a line for git. */
const NEW_FILE = /^\+\+\+ (?:b\/)?([^\t]{1,400})/;
const HUNK = /^@@/;

/** A diff: its files with what was added and removed, its hunks, and changed signatures. */
export function diffOutline({ source, start, room }: Asking): Outline {
  const files: { name: string; added: number; removed: number }[] = [];
  const hunks: number[] = [];
  const signatures: number[] = [];
  for (const [place, unit] of source.units.entries()) {
    if (place < start) continue;
    const text = textOf(source, unit).slice(0, 500);
    const named = FILE.exec(text);
    const plain = named === null && text.startsWith('+++ ') ? NEW_FILE.exec(text) : null;
    const name = named?.[1] ?? named?.[2] ?? plain?.[1];
    const file = files.at(-1);
    if (name !== undefined) {
      if (plain === null || file?.name !== name) files.push({ name, added: 0, removed: 0 });
    } else if (HUNK.test(text)) hunks.push(place);
    else if (/^[-+](?![-+]{2} )/.test(text)) {
      if (file !== undefined) file[text.startsWith('+') ? 'added' : 'removed'] += 1;
      if (SIGNATURE.test(text.slice(1))) signatures.push(place);
    }
  }
  const outline = plainOutline(
    `a diff of ${counted(files.length, 'file')}, ${counted(hunks.length, 'hunk')}`,
  );
  const shown = files
    .filter(({ name }) => name.length <= LONGEST_PATH)
    .map(({ name, added, removed }) => `${name} +${added} -${removed}`);
  if (shown.length > 0) outline.notes.push(`Changed: ${listed(shown, room * SHARE_OF_LIST)}`);
  outline.first.push(...signatures, ...hunks);
  return outline;
}
