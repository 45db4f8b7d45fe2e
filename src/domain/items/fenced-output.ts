/**
 * Just after the block that opens here; blocks inside it open with the name of a language. `isOutput`: of a
 * command, which may print what closes the block. Where the text ends with such a sign, that is the program's.
 */
export function endOfFence(text: string, at: number, end: number, isOutput: boolean): number {
  const fence = /\n```([^\n]*)/g;
  fence.lastIndex = at;
  let depth = 0;
  let first: number | null = null;
  for (let found = fence.exec(text); found !== null; found = fence.exec(text)) {
    const isOpening = found[1]?.trim() !== '';
    if (isOpening || depth > 0) {
      depth += isOpening ? 1 : -1;
      continue;
    }
    const after = Math.min(end, afterOutput(text, fence.lastIndex));
    if (!isOutput || after === end) return after;
    first ??= after;
  }
  return first ?? end;
}

/** What pi adds below the output of a command. */
function afterOutput(text: string, at: number): number {
  const notes =
    /(?:\n\n(?:\(command cancelled\)|Command exited with code -?\d{1,10}|\[Output truncated\. Full output: [^\n]{1,500}\])){0,3}/y;
  notes.lastIndex = at;
  return at + (notes.exec(text)?.[0].length ?? 0);
}
