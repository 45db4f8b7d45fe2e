import { FOUND_BELOW } from './kind.ts';
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

const LONGEST_PATH = 120;
/** `path:12:text`, `path-12-text`. */
const FOUND = /^((?:[A-Za-z]:)?[^\s:]{1,300}?)(?::\d{1,9}[:\s]|-\d{1,9}-)/;

/** What a search has found: the files, with the lines found in each. */
export function searchOutline({ source, start, room }: Asking): Outline {
  const files = new Map<string, number>();
  let found = 0;
  let heading = '';
  for (const unit of source.units.slice(start)) {
    if (unit.isPart) continue;
    const text = textOf(source, unit);
    const file = FOUND.exec(text.slice(0, 320))?.[1];
    if (file === undefined && !FOUND_BELOW.test(text)) {
      heading = text.trim();
      continue;
    }
    const name = file ?? heading;
    found += 1;
    if (name !== '' && name.length <= LONGEST_PATH) files.set(name, (files.get(name) ?? 0) + 1);
  }
  const where = files.size === 0 ? '' : ` in ${counted(files.size, 'file')}`;
  const outline = plainOutline(`search results, ${counted(found, 'line')}${where}`);
  const shown = byCount(files).map(([name, count]) => (count > 1 ? `${name} ${count}` : name));
  if (files.size > 1) outline.notes.push(`Found: ${listed(shown, room * SHARE_OF_LIST)}`);
  return outline;
}
