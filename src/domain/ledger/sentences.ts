import { extractNames } from '../names.ts';
import { remembering, rememberingLast } from '../remember.ts';
import { bothEnds, oneLine } from '../text.ts';

/** Characters of one text that are looked at. */
const LOOKED_AT = 40_000;
const SHORTEST = 12;
const LONGEST = 400;

/** The frames of notes and reports. */
const TAG = /<\/?[a-z][\w-]{0,60}>/gi;

/**
 * The sentences of a text in prose: without code, tables and headings, list marks taken off. Sentences
 * end at a full stop before a capital or a letter of a script without capitals, at the signs of other
 * scripts, and with their line.
 */
export const sentencesOf = rememberingLast((text: string): readonly string[] => {
  const sentences: string[] = [];
  for (const line of withoutFences(bothEnds(text, LOOKED_AT)).replace(TAG, '\n').split('\n')) {
    for (const part of ENDS_SENTENCE.test(line) ? line.split(BETWEEN_SENTENCES) : [line]) {
      const sentence = oneLine(part).replace(/^(?:[-*>•]|\d{1,2}[.)]) /, '');
      if (isProse(sentence)) sentences.push(sentence);
    }
  }
  return sentences;
});

const ENDS_SENTENCE = /[.!?。！？؟।॥۔]/;
const BETWEEN_SENTENCES = /(?<=[.!?]["')\]]?) +(?=[\p{Lu}\p{Lo}`"'*[(])|(?<=[。！？؟।॥۔])/u;

function isProse(sentence: string): boolean {
  if (sentence.length > LONGEST || !/^[\p{L}\p{N}`*"'“‘([]/u.test(sentence)) return false;
  // Scripts without spaces say in four signs what others say in twelve.
  return (
    sentence.length >= SHORTEST || /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}/.test(sentence)
  );
}

/** A text without what stands between lines of three backticks. */
function withoutFences(text: string): string {
  let isInside = false;
  return text
    .split('\n')
    .filter((line) => {
      if (!line.trimStart().startsWith('```')) return !isInside;
      isInside = !isInside;
      return false;
    })
    .join('\n');
}

const WORD = /[\p{L}\p{N}_]{4,40}/gu;
const SIGNS = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}/g;

/** What a fact is about: its words of four letters and more, in lower case, or pairs of signs. */
export const subjectOf = remembering(({ text }: { text: string }): ReadonlySet<string> => {
  const lower = text.toLowerCase();
  return new Set([...(lower.match(WORD) ?? []), ...(lower.match(SIGNS) ?? [])].slice(0, 80));
});

/** Whether at least this share (above 0) of the words of two sentences stands in both. */
export function areAlike(
  one: ReadonlySet<string>,
  other: ReadonlySet<string>,
  share: number,
): boolean {
  const [fewer, more] = one.size <= other.size ? [one, other] : [other, one];
  // Were all of the fewer words in both, it would be too little still.
  if (fewer.size < more.size * share) return false;
  let both = 0;
  for (const word of fewer) if (more.has(word)) both++;
  const all = one.size + other.size - both;
  return all > 0 && both / all >= share;
}

/** Whether a sentence names something: a name, a figure, or words in quotes. */
export function namesSomething(sentence: string): boolean {
  return /\d|[`"“«][^`"”»]{2,}[`"”»]/.test(sentence) || extractNames(sentence).length > 0;
}
