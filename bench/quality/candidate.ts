import type { Passage } from './conversation.ts';
import { countTokens } from './tokens.ts';
import { type Readable, readable } from './words.ts';

/** A text that stands for a conversation: the context after a compaction, or what is put beside it. */
export type Candidate = {
  passages: Passage[];
  read: Readable;
  /** What was written anew, where a part of it stood in the conversation as it is. */
  anew?: Readable;
  /** Tokens that it takes by the counter of this measurement. */
  tokens: number;
};

/** A candidate of passages; `tokens` where they are known otherwise. */
export function candidateOf(passages: Passage[], tokens?: number): Candidate {
  const text = passages.map((passage) => passage.text).join('\n\n');
  return { passages, read: readable(text), tokens: tokens ?? countTokens(text) };
}

/** A plain text, of nobody in particular. */
export function textCandidate(text: string): Candidate {
  return candidateOf([{ voice: 'other', text, item: 0 }]);
}
