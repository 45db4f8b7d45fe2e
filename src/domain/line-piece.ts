/** From where a text is read on: both from 1; `character` is one of that line. */
export type LinePlace = { line: number; character: number };

/** A piece of a text, word for word. */
export type LinePiece = {
  text: string;
  /** The lines that it begins and ends in. */
  from: LinePlace;
  to_line: number;
  /** Of the whole text; a line feed at its end begins none. */
  lines: number;
  /** Where it goes on; null: nothing of what was asked for is left. */
  next: LinePlace | null;
};

const LINE_FEED = 10;

/**
 * So much of a text from a place on as fits into `bytes` (UTF-8), and at least one character: whole
 * lines, or a part of one that alone is too long. Null when the text has no such line.
 */
export function linePiece(
  text: string,
  asked: LinePlace & { to_line: number },
  bytes: number,
): LinePiece | null {
  const lines = linesOf(text);
  if (asked.line > lines) return null;
  const start = startOf(text, asked.line);
  const begin = Math.min(safeStart(text, start + asked.character - 1), endOfLine(text, start));
  const from = { line: asked.line, character: begin - start + 1 };
  const last = Math.min(lines, asked.to_line);
  const piece = (end: number, to_line: number, next: LinePlace | null): LinePiece => ({
    text: text.slice(begin, end),
    from,
    to_line,
    lines,
    next,
  });
  let left = bytes;
  let line = asked.line;
  let lineStart = start;
  for (let at = begin; ; ) {
    const end = endOfLine(text, lineStart);
    const fits = fitting(text, at, end, left);
    if (fits < end) {
      // A line is not torn apart that a piece of its own has room for.
      if (line > asked.line) return piece(lineStart - 1, line - 1, { line, character: 1 });
      const cut = fits > begin ? fits : begin + widthAt(text, begin);
      if (cut < end) return piece(cut, line, { line, character: cut - start + 1 });
    }
    if (line === last) return piece(end, line, null);
    left -= bytesOf(text, at, end) + 1;
    // Not even the end of the line is to be told any more.
    if (left < 0) return piece(end, line, { line: line + 1, character: 1 });
    lineStart = end + 1;
    at = lineStart;
    line += 1;
  }
}

/** How many lines a text has; an empty one has one. */
export function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  const isEnded = text.length > 0 && text.charCodeAt(text.length - 1) === LINE_FEED;
  return isEnded ? lines - 1 : lines;
}

function startOf(text: string, line: number): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) start = text.indexOf('\n', start) + 1;
  return start;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

/** How far the text fits into so many bytes. */
function fitting(text: string, from: number, to: number, bytes: number): number {
  let left = bytes;
  for (let at = from; at < to; ) {
    const width = widthAt(text, at);
    left -= bytesAt(text, at);
    if (left < 0) return at;
    at += width;
  }
  return to;
}

function bytesOf(text: string, from: number, to: number): number {
  let bytes = 0;
  for (let at = from; at < to; at += widthAt(text, at)) bytes += bytesAt(text, at);
  return bytes;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function bytesAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}

/** A place never falls between the two halves of a surrogate pair. */
function safeStart(text: string, at: number): number {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
