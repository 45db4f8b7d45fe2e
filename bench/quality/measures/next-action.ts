import { nameKey } from '../../../src/domain/names.ts';
import type { Candidate } from '../candidate.ts';
import type { Conversation } from '../conversation.ts';
import { fileKeysIn, namesMet } from '../names.ts';
import { fileNames, filesOf } from '../touched.ts';

/** The first file that a call works on later, if it was met before; null when none was. */
export function nextFile(covered: Conversation, later: Conversation): string | null {
  const met = namesMet(covered);
  for (const call of later.calls) {
    const known = filesOf(call)
      .map(nameKey)
      .find((key) => met.has(key));
    if (known !== undefined) return known;
  }
  return null;
}

/** Its rank, from 1, among the files that the text names, in the order of their first mention; null when it is not named. */
export function rankOf(file: string, { read }: Candidate): number | null {
  const rank = fileKeysIn(read.text).indexOf(file);
  return rank === -1 ? null : rank + 1;
}

/** The same, counted from the end: what stands last is what a reader of a bare tail has last read. */
export function rankFromEnd(file: string, { read }: Candidate): number | null {
  const keys = new Set(fileNames(read.text).reverse().map(nameKey));
  const rank = [...keys].indexOf(file);
  return rank === -1 ? null : rank + 1;
}
