import { isFileName } from '../../src/domain/names.ts';
import { type Candidate, candidateOf, textCandidate } from './candidate.ts';
import type { Conversation, Passage } from './conversation.ts';
import { namesMet } from './names.ts';
import { BYTES_PER_TOKEN } from './tokens.ts';
import { userMessages } from './user-messages.ts';
import { normalised } from './words.ts';

/** What a cheat would write instead of a summary. Each takes at most so many tokens, and nearly as many. */
export type Baselines = { tail: Candidate; names: Candidate; openings: Candidate };

/** All baselines of a conversation at one size. */
export function baselinesOf(covered: Conversation, tokens: number): Baselines {
  return {
    tail: tailOf(covered, tokens),
    names: namesOf(covered, tokens),
    openings: openingsOf(covered, tokens),
  };
}

/** The end of the conversation, cut where the tokens are used up. */
function tailOf({ passages }: Conversation, tokens: number): Candidate {
  const kept: Passage[] = [];
  let room = tokens * BYTES_PER_TOKEN;
  for (const passage of passages.toReversed()) {
    const text = endWithin(passage.text, room);
    if (text === '') break;
    kept.unshift({ ...passage, text });
    // The blank line between two passages is text as well.
    room -= Buffer.byteLength(text) + 2;
  }
  return candidateOf(kept);
}

/** The end of a text that takes at most so many tokens. */
export function endOf(text: string, tokens: number): string {
  return endWithin(text, tokens * BYTES_PER_TOKEN);
}

function endWithin(text: string, bytes: number): string {
  if (bytes <= 0) return '';
  let end = text.slice(-bytes);
  for (let over = Buffer.byteLength(end) - bytes; over > 0; over = Buffer.byteLength(end) - bytes) {
    end = end.slice(Math.ceil(over / 3));
  }
  return end;
}

/** Says that the list is an index and nothing else. */
const LIST_HEADING = '## Names\n';

/** A bare list of names: those said most often first, and of these the newest; files before the others. */
function namesOf(covered: Conversation, tokens: number): Candidate {
  const ranked = [...namesMet(covered).values()].sort(
    (a, b) => b.count - a.count || b.last - a.last,
  );
  const chosen: string[] = [];
  let bytes = Buffer.byteLength(LIST_HEADING);
  for (const { name } of ranked) {
    const size = Buffer.byteLength(name) + 1;
    if (bytes + size > tokens * BYTES_PER_TOKEN) continue;
    chosen.push(name);
    bytes += size;
  }
  const files = chosen.filter(isFileName);
  const others = chosen.filter((name) => !isFileName(name));
  return textCandidate(LIST_HEADING + [...files, ...others].join('\n'));
}

const OPENING = 60;

/** The first 60 characters of every message of the user, in order; the newest when not all fit. */
function openingsOf(covered: Conversation, tokens: number): Candidate {
  const lines: string[] = [];
  let room = tokens * BYTES_PER_TOKEN;
  for (const { text } of userMessages(covered).reverse()) {
    const line = text.replace(/\s+/g, ' ').slice(0, OPENING);
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    lines.unshift(line);
  }
  return textCandidate(lines.filter((line) => normalised(line) !== '').join('\n'));
}
