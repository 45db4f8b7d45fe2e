const OPENING = /^<think(?:ing)?>/;
const CLOSING = /<\/think(?:ing)?>/;
const LONGEST_OPENING = '<thinking>'.length;

/**
 * What a model says, without the thoughts that some servers leave in front of it: between `<think>` and
 * `</think>`, or before a `</think>` on a line of its own, since templates may open them in the prompt.
 */
export function withoutThoughts(text: string): string {
  const closing = CLOSING.exec(text);
  if (closing === null) return text;
  const before = text.slice(0, closing.index);
  const after = text.slice(closing.index + closing[0].length);
  const isOpened = OPENING.test(before.trimStart().slice(0, LONGEST_OPENING));
  // In a text about such tags they stand within lines, or in code.
  const isAlone = /(?:^|\n)[ \t]*$/.test(before.slice(-80)) && /^[ \t]*(?:\n|$)/.test(after);
  return isOpened || (isAlone && !before.includes('```')) ? after.trimStart() : text;
}

/** Where Codex says which of its memories an answer rests on: a block at the end that nobody is shown. */
const CITATION = { opening: '<oai-mem-citation>', closing: '</oai-mem-citation>' };

/** What Codex says, without the block that cites its memories. */
export function withoutCitations(text: string): string {
  if (!text.trimEnd().endsWith(CITATION.closing)) return text;
  const at = text.lastIndexOf(CITATION.opening);
  const isAlone = at >= 0 && /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 80), at));
  return isAlone ? text.slice(0, at).trimEnd() : text;
}
