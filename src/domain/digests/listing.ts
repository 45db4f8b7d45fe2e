import { addTo } from '../group-by.ts';
import {
  type Asking,
  byCount,
  counted,
  listed,
  type Outline,
  plainOutline,
  SHARE_OF_LIST,
} from './outline.ts';
import { textOf } from './source.ts';

const LONGEST_PATH = 300;
const MOST_FOLDERS = 40;
/** The names of a folder are told rather than quoted: its path stands once. */
const SHARE_OF_NAMES = 0.6;
const ENDING = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

/** A list of files: how many, of what endings; the names in each folder, which is told once. */
export function listingOutline({ source, start, room }: Asking): Outline {
  const endings = new Map<string, number>();
  const folders = new Map<string, string[]>();
  let entries = 0;
  for (const unit of source.units.slice(start)) {
    const text = textOf(source, unit).trim();
    if (text === '' || unit.isPart) continue;
    entries += 1;
    const ending = ENDING.exec(text.slice(-20))?.[0];
    if (ending !== undefined) endings.set(ending, (endings.get(ending) ?? 0) + 1);
    const slash = text.lastIndexOf('/', text.length - 2);
    if (slash < 1 || text.length > LONGEST_PATH || /[\s,]/.test(text)) continue;
    addTo(folders, text.slice(0, slash), text.slice(slash + 1));
  }
  const outline = plainOutline(`a listing, ${counted(entries, 'entry', 'entries')}`);
  if (endings.size > 1) {
    const shown = byCount(endings).map(([ending, count]) => `${ending} ${count}`);
    outline.notes.push(`Endings: ${listed(shown, room * SHARE_OF_LIST)}`);
  }
  const largest = [...folders].sort(([, a], [, b]) => b.length - a.length).slice(0, MOST_FOLDERS);
  let left = room * SHARE_OF_NAMES;
  for (const [folder, names] of largest) {
    const title = `${folder}/, ${counted(names.length, 'entry', 'entries')}: `;
    left -= title.length;
    if (names.length < 2 || left < 0) break;
    const note = listed(names, left);
    left -= note.length;
    outline.notes.push(title + note);
  }
  return outline;
}
