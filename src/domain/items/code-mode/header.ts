/** How Codex's code mode heads what a script has printed. `cell`: by which it is waited for where it goes on. */
export type CodeHeader = {
  state: 'completed' | 'failed' | 'running';
  cell: string | null;
  /** Characters of the heading. */
  length: number;
};

const HEADER =
  /^Script (completed|failed|terminated|running with cell ID ([\w-]{1,40})\.?)\nWall time:? [\d.]{1,20} seconds\nOutput:\n?/;

/** The heading of the output of a script; null for other texts. */
export function codeHeaderOf(text: string): CodeHeader | null {
  const found = text.startsWith('Script ') ? HEADER.exec(text) : null;
  if (found === null) return null;
  const cell = found[2] ?? null;
  const ended = found[1] === 'completed' ? 'completed' : 'failed';
  return { state: cell === null ? ended : 'running', cell, length: found[0].length };
}
