import { LABELS } from './earlier.ts';
import type { Said } from './facts.ts';
import type { Point } from './point.ts';
import { oneLine } from './text.ts';

const MAX_DECISIONS = 40;

const DECIDES =
  /\b(?:decided|decision|instead of|rather than|root cause|the (?:issue|problem|bug|fix) (?:is|was)|because|turns out|(?:we|I)(?:['’]ll| will| should) (?:use|keep|go with)|going with|agreed|must not|trade-?off)\b/i;

/** Sentences in which the assistant decides or explains, newest first, all but the one given. */
export function decisionPoints(assistant: readonly Said[], except: string | undefined): Point[] {
  const points: Point[] = [];
  const seen = new Set<string | undefined>([except]);
  for (let i = assistant.length - 1; i >= 0 && points.length < MAX_DECISIONS; i--) {
    const said = assistant[i];
    const sentence = sentencesOf(said?.text ?? '').find((text) => DECIDES.test(text));
    if (said === undefined || sentence === undefined || seen.has(sentence)) continue;
    seen.add(sentence);
    points.push({ text: LABELS.decision + sentence, place: said.index });
  }
  return points;
}

const MAX_REQUIREMENTS = 20;

const REQUIRES =
  /\b(?:must|never|always|only|do(?:n['’]t| not)|should(?:n['’]t| not)?|without|keep|make sure|required?)\b/i;

/** Sentences in which the user says what has to hold, newest first. */
export function requirementPoints(user: readonly Said[]): Point[] {
  const points = new Map<string, Point>();
  for (const said of user.toReversed()) {
    if (points.size >= MAX_REQUIREMENTS) break;
    for (const sentence of sentencesOf(said.text).filter((text) => REQUIRES.test(text))) {
      if (!points.has(sentence)) {
        points.set(sentence, { text: LABELS.message + sentence, place: said.index });
      }
    }
  }
  return [...points.values()].slice(0, MAX_REQUIREMENTS);
}

/** Sentences of readable length, without headings, tables and code. */
function sentencesOf(text: string): string[] {
  return text
    .slice(0, 20_000)
    .split(/\n|(?<=[.!?]) (?=[A-Z`"*])/)
    .map((sentence) => oneLine(sentence).replace(/^(?:[-*>]|\d{1,2}\.) /, ''))
    .filter(
      (sentence) =>
        sentence.length >= 20 && sentence.length <= 300 && /^[\p{L}`*"]/u.test(sentence),
    );
}

const INTENDS =
  /\b(?:next|let me|let['’]s|I['’]ll|I will|I['’]m going to|I need to|we need to|we should|remaining|would you like)\b/i;

/** The last sentence in which the assistant says what it is going to do. */
export function lastIntention(assistant: readonly Said[]): string | undefined {
  for (const said of assistant.slice(-5).reverse()) {
    const sentence = sentencesOf(said.text).findLast((text) => INTENDS.test(text));
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}
