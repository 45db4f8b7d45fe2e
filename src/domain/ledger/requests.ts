import { cleaned, clipEnd, clipMiddle, oneLine } from '../text.ts';
import type { Request } from './ledger.ts';

/** The first request says what all of it is about. */
const LONGEST_FIRST = 4_000;
const LONGEST = 800;
/** A reply of no more characters is understood only with what it answers. */
const SHORT = 80;
const ASSENT = 25;
const LONGEST_ANSWERED = 240;

/** What the user asked for, in order. */
export class Requests {
  private readonly list: Request[];
  /** Of all texts together. */
  characters: number;

  constructor(requests: readonly Request[]) {
    this.list = [...requests];
    this.characters = requests.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** `before`: what the assistant has said last, or what its tool has asked; '' when nothing. */
  add(words: string, before: string, seq: number): void {
    const text = clipMiddle(cleaned(words), this.list.length === 0 ? LONGEST_FIRST : LONGEST);
    if (text === '') return;
    this.characters += text.length;
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
  const question = lines.findLast((line) => /[?？]/.test(line));
  const asked = question === undefined ? undefined : lastQuestion(question);
  // Only a word or two goes on from what was said, whatever it was.
  const last = reply.length <= ASSENT ? (lines.at(-1) ?? '') : '';
  return clipEnd(asked ?? last, LONGEST_ANSWERED);
}

function lastQuestion(line: string): string {
  const end = Math.max(line.lastIndexOf('?'), line.lastIndexOf('？'));
  const before = line.slice(0, end).split(/(?<=[.!?]["')\]]{0,3}) +(?=\S)|(?<=[。！？])/);
  return `${before.at(-1) ?? ''}${line.charAt(end)}`.trim();
}
