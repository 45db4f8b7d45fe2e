const FILE_WITH_FOLDER = /[^\s'"`(:/]{0,200}\/[^\s'"`):,]{0,400}\.\w{1,8}\b/g;

/** A line without the files that it names by their folder: what they are called says nothing of how it went. */
export function withoutPaths(line: string): string {
  return line.includes('/') ? line.replace(FILE_WITH_FOLDER, ' ') : line;
}
