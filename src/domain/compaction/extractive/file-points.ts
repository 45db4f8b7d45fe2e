import { extractNames, isFileName } from '../names.ts';
import { commonFolder, type FileFact, type FileTable, type FileUse } from './files.ts';
import type { Point } from './point.ts';

const MAX_FILES = 400;

/** Written for the folder that most files share. */
const FOLDER_MARK = '…/';

const USES: readonly FileUse[] = ['written', 'edited', 'deleted', 'read', 'named in commands'];

/** The files touched and how often, changed ones first. */
export function filePoints(table: FileTable): Point[] {
  const files = table.ranked().slice(0, MAX_FILES);
  const folder = commonFolder(files.map((file) => file.path));
  const note = folder === '' ? [] : [`Here ${FOLDER_MARK} stands for ${folder}`];
  const texts = [...note, ...files.map((file) => fileText(file, folder))];
  return texts.map((text, place) => ({ text, place, whole: true }));
}

function fileText(file: FileFact, folder: string): string {
  const isInside = folder !== '' && file.path.startsWith(folder);
  const path = isInside ? FOLDER_MARK + file.path.slice(folder.length) : file.path;
  const uses = USES.filter((use) => file.uses.has(use)).map((use) => {
    const times = file.uses.get(use) ?? 0;
    return times > 1 ? `${use} ${times}×` : use;
  });
  if (file.to !== null) uses.push(`moved to ${file.to}`);
  return uses.length === 0 ? path : `${path}: ${uses.join(', ')}`;
}

/** Adds what the lines of an earlier summary say about files. */
export function addEarlierFiles(table: FileTable, lines: readonly string[]): void {
  const folder = lines.map((line) => /^Here …\/ stands for (\S+)$/.exec(line)?.[1]).find(Boolean);
  for (const line of lines) {
    const isInside = line.startsWith(FOLDER_MARK);
    addEarlierFile(table, isInside ? (folder ?? '') + line.slice(FOLDER_MARK.length) : line);
  }
}

function addEarlierFile(table: FileTable, line: string): void {
  const ours =
    /^(\S+): ((?:(?:written|edited|deleted|read|named in commands)(?: \d+×)?(?:, |$))*)(?:moved to (\S+))?$/.exec(
      line,
    );
  if (ours === null) {
    const paths = extractNames(line).filter((name) => isFileName(name));
    for (const path of paths) table.note(path);
    return;
  }
  const [, path = '', uses = '', to] = ours;
  if (to !== undefined) table.move(path, to, -1);
  for (const use of uses.split(', ')) {
    const match = /^(.*?)(?: (\d{1,6})×)?$/.exec(use);
    const known = USES.find((candidate) => candidate === match?.[1]);
    if (known) table.add({ path, use: known }, -1, Number(match?.[2] ?? 1));
  }
}
