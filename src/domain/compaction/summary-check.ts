import type { TextCounter } from '../tokens/count.ts';
import { trimEndOf } from '../trim-end.ts';
import { type OtherAnswer, otherAnswer } from './other-answers.ts';
import type { SummaryTemplate } from './prompt.ts';
import { isRefusal } from './refusal.ts';
import { extractSummaryText, summaryContent } from './summary.ts';
import { type FoundSections, findSummarySections } from './summary-sections.ts';

/** What a model was asked for, and what its answer is to stand for. */
export type SummaryDemand = {
  template: SummaryTemplate;
  /** The client or a hook may have asked for another form than the template's. */
  has_instructions: boolean;
  /** The task as the model read it, without the conversation. */
  asked: string;
  /** Estimate without margin of what the summary covers. */
  covered_tokens: number;
  /** The answer reached its limit of tokens. */
  is_cut_off: boolean;
  count: TextCounter;
};

/** Why an answer is no summary. */
export type SummaryFlaw =
  | { kind: 'provider_error' | 'empty' | 'refusal' | 'echo' | 'repetition' | 'cut_off' }
  | { kind: OtherAnswer }
  | { kind: 'sections'; asked: number; found: number }
  | { kind: 'too_short' | 'too_long'; tokens: number; covered_tokens: number }
  | { kind: 'forgets'; share: number; least: number };

/** `text` keeps its tags, see `cleanSummary`. */
type SummaryVerdict = { ok: true; text: string } | { ok: false; flaw: SummaryFlaw };

/** A conversation that is shorter may be told in a sentence or two, without sections. */
const SECTIONS_FROM = 1_000;
/** Of the sections asked for, how many have to be there: models merge some and leave empty ones out. */
const LEAST_SECTIONS = 0.5;
/** Tokens besides headings, one for so many covered ones, within these bounds. */
const COVERED_PER_TOKEN = 200;
const LEAST_TOKENS = 4;
const MOST_LEAST_TOKENS = 40;
/** A text repeats itself when less than this share of its runs of words is new. */
const LEAST_NEW = 0.5;
const RUN_WORDS = 8;
/** Fewer words repeat nothing by mistake. */
const REPEATING_FROM = 80;
/** What of an answer may come from the task before it counts as a copy of that. */
const MOST_ECHOED = 0.5;

/**
 * Whether a model's answer can stand for what it covers (SPEC sections 8 and 10): not an error or a
 * refusal, no call, patch or reply, no copy of the task, no loop, not cut off, with at least half of the sections that were
 * asked for, and neither far too short nor longer than what it covers. Linear in the answer.
 */
export function checkSummary(answer: string, demand: SummaryDemand): SummaryVerdict {
  const extracted = extractSummaryText(answer);
  if (!extracted.ok) return flawed(extracted.reason === 'api_error' ? 'provider_error' : 'empty');
  const content = summaryContent(extracted.text);
  if (!/[\p{L}\p{N}]/u.test(content)) return flawed('empty');
  const sections = findSummarySections(content, demand.template);
  const flaw =
    kindFlaw(content, demand) ??
    endFlaw(extracted.text, sections, demand) ??
    sectionsFlaw(sections, demand) ??
    sizeFlaw(content, sections, demand);
  return flaw === null ? { ok: true, text: extracted.text } : { ok: false, flaw };
}

/** The flaw in words; nothing of the answer is quoted. */
export function flawText(flaw: SummaryFlaw): string {
  switch (flaw.kind) {
    case 'provider_error':
      return "it is a provider's error";
    case 'empty':
      return 'it holds no summary';
    case 'refusal':
      return 'it declines to summarise';
    case 'tool_call':
      return 'it calls a tool instead of summarising';
    case 'patch':
      return 'it is a patch';
    case 'reply':
      return 'it goes on with the conversation, or asks back, instead of summarising';
    case 'echo':
      return 'it repeats the task instead of doing it';
    case 'repetition':
      return 'it repeats itself over and over';
    case 'cut_off':
      return 'it was cut off at its limit of tokens';
    case 'sections':
      return `it has ${flaw.found} of the ${flaw.asked} sections that were asked for`;
    case 'too_short':
      return `it says too little: ${flaw.tokens} tokens for ${flaw.covered_tokens}`;
    case 'too_long':
      return `it is as long as what it covers: ${flaw.tokens} tokens for ${flaw.covered_tokens}`;
    case 'forgets':
      return `it keeps ${flaw.share} of the facts that have to be kept, and ${flaw.least} is the least (retention_reject)`;
    default:
      return flaw satisfies never;
  }
}

function kindFlaw(content: string, { asked }: SummaryDemand): SummaryFlaw | null {
  if (isRefusal(content)) return { kind: 'refusal' };
  const other = otherAnswer(content);
  if (other !== null) return { kind: other };
  if (isEcho(content, asked)) return { kind: 'echo' };
  return repeatsItself(content) ? { kind: 'repetition' } : null;
}

function sectionsFlaw(
  { found, asked }: FoundSections,
  { has_instructions, covered_tokens }: SummaryDemand,
): SummaryFlaw | null {
  const isFormAsked = !has_instructions && covered_tokens >= SECTIONS_FROM;
  return isFormAsked && found < asked * LEAST_SECTIONS ? { kind: 'sections', asked, found } : null;
}

/** An answer that ran out of tokens is whole when it was closed, or has reached all its sections. */
function endFlaw(
  text: string,
  { named, asked }: FoundSections,
  { is_cut_off }: SummaryDemand,
): SummaryFlaw | null {
  if (!is_cut_off || text.trimEnd().endsWith('</summary>')) return null;
  return asked > 0 && named === asked ? null : { kind: 'cut_off' };
}

function sizeFlaw(
  content: string,
  { body }: FoundSections,
  { covered_tokens, count }: SummaryDemand,
): SummaryFlaw | null {
  const least = Math.floor(covered_tokens / COVERED_PER_TOKEN);
  const said = count(body.filter((line) => !isNothing(line)).join('\n'));
  if (said < Math.min(MOST_LEAST_TOKENS, Math.max(LEAST_TOKENS, least))) {
    return { kind: 'too_short', tokens: said, covered_tokens };
  }
  const tokens = count(content);
  return tokens < covered_tokens ? null : { kind: 'too_long', tokens, covered_tokens };
}

/** What stands in a section that has nothing to hold. */
function isNothing(line: string): boolean {
  const text = trimEndOf(line.replace(/^[\s\-*•(]+/, ''), /[\s.)*]/);
  return /^(?:|…|none|n\/?a|nil|null|nothing|not applicable|unknown|keine?[rs]?|aucun|ninguno|nessuno|nenhum|нет|无|なし|없음)$/i.test(
    text,
  );
}

/** Whether most of a text stands in the task as well, or it begins with the record that was read. */
function isEcho(content: string, asked: string): boolean {
  if (/^<(?:conversation-record|record-entry)\b/.test(content)) return true;
  const lines = new Set(asked.split('\n').map(bare));
  let all = 0;
  let echoed = 0;
  for (const line of content.split('\n')) {
    const text = bare(line);
    all += text.length;
    if (lines.has(text)) echoed += text.length;
  }
  // The titles alone are in every good answer: they are short beside what stands under them.
  return echoed > all * MOST_ECHOED && findsMoreThanTitles(content, lines);
}

function findsMoreThanTitles(content: string, asked: ReadonlySet<string>): boolean {
  return content.split('\n').some((line) => line.length > 60 && asked.has(bare(line)));
}

function bare(line: string): string {
  return trimEndOf(line.replace(/^[\s#*\-\d.)]+/, ''), /[\s*:]/);
}

function repeatsItself(content: string): boolean {
  // Scripts that are written without spaces count sign by sign.
  const words =
    content.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu) ?? [];
  const runs = words.length - RUN_WORDS + 1;
  if (words.length < REPEATING_FROM) return false;
  const seen = new Set<string>();
  for (let start = 0; start < runs; start++) {
    seen.add(words.slice(start, start + RUN_WORDS).join(' '));
  }
  return seen.size < runs * LEAST_NEW;
}

function flawed(kind: 'provider_error' | 'empty'): SummaryVerdict {
  return { ok: false, flaw: { kind } };
}
