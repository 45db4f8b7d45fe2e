import { cleaned, clipEnd, clipMiddle, oneLine } from '../text.ts';
import type { Request } from './ledger.ts';

/** The first request says what all of it is about. */
const LONGEST_FIRST = 4_000;
const LONGEST = 800;
/** What stays of an older one where all are too long together. */
export const SHORTENED = 160;
/** A reply of no more characters is understood only with what it answers. */
const SHORT = 80;
const ASSENT = 25;
const LONGEST_ANSWERED = 240;

/** What the user asked for, in order. */
export class Requests {
  private readonly list: Request[];
  /** What of all texts together could be left out by shortening them. */
  characters: number;

  constructor(requests: readonly Request[]) {
    this.list = [...requests];
    this.characters = excessOf(requests);
  }

  /** `before`: what the assistant has said last, or what its tool has asked; '' when nothing. */
  add(words: string, before: string, seq: number): void {
    const text = clipMiddle(cleaned(words), this.list.length === 0 ? LONGEST_FIRST : LONGEST);
    if (text === '') return;
    this.characters += excessOf([{ text }]);
    const answers = text.length <= SHORT ? answeredBy(text, before) : '';
    this.list.push({ seq, last_seq: seq, text, ...(answers !== '' && { answers }) });
  }

  get size(): number {
    return this.list.length;
  }

  facts(): Request[] {
    return this.list;
  }
}

/**
 * What a short reply answers: the numbered proposal that it names, else the last question, else the
 * last line where the reply is no more than a word or two.
 */
export function answeredBy(reply: string, before: string): string {
  const lines = cleaned(before)
    .split('\n')
    .map(oneLine)
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const numbers: string[] = reply.match(/(?<![\w.])\d{1,2}(?![\w.]\w)/g) ?? [];
  const letters = /^\(?([a-dA-D])[).]?$/.exec(reply.trim())?.[1] ?? '';
  const named = lines.filter((line) => {
    const mark = /^(?:[-*] )?\**(\d{1,2}|[a-dA-D])[.):]/.exec(line)?.[1];
    return (
      mark !== undefined && (numbers.includes(mark) || mark.toLowerCase() === letters.toLowerCase())
    );
  });
  if (named.length > 0) return clipEnd(named.join('; '), LONGEST_ANSWERED);
  const question = lines.findLast((line) => /[?？؟]/.test(line));
  const asked = question === undefined ? undefined : lastQuestion(question);
  // Only a word or two goes on from what was said, whatever it was.
  const last = reply.length <= ASSENT ? (lines.at(-1) ?? '') : '';
  return clipEnd(asked ?? last, LONGEST_ANSWERED);
}

function lastQuestion(line: string): string {
  const end = Math.max(...['?', '？', '؟'].map((sign) => line.lastIndexOf(sign)));
  const before = line.slice(0, end).split(/(?<=[.!?]["')\]]{0,3}) +(?=\S)|(?<=[。！？؟।])/);
  return `${before.at(-1) ?? ''}${line.charAt(end)}`.trim();
}

/** Characters that could be left out of these by shortening them. */
export function excessOf(requests: readonly { text: string }[]): number {
  return requests.reduce((sum, { text }) => sum + Math.max(0, text.length - SHORTENED), 0);
}
