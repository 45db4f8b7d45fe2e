import { withoutThoughts } from '../items/thoughts.ts';
import type { Config } from '../policy/config.ts';

/** What a model's answer is worth as a summary: its text, or why there is none (SPEC 8, phase 4). */
type ExtractedSummary =
  | { ok: true; text: string }
  | { ok: false; reason: 'no_summary' | 'api_error' };

/** Texts that some gateways send as an answer when the provider failed. */
const ERROR_PREFIXES = ['API Error', 'API_ERROR'];

/**
 * Takes the summary out of a model's answer. Tags may be missing or unclosed: without tags the whole
 * text is the summary. Nothing but an analysis, or an empty summary, is `no_summary`; a provider's
 * error text is `api_error`. The text keeps its tags, see `cleanSummary`.
 */
export function extractSummaryText(answer: string): ExtractedSummary {
  const text = withoutThinking(answer).trim();
  if (ERROR_PREFIXES.some((prefix) => text.startsWith(prefix))) {
    return { ok: false, reason: 'api_error' };
  }
  return summaryContent(text) === '' ? { ok: false, reason: 'no_summary' } : { ok: true, text };
}

/** What an extracted answer says as a summary: without its tags and without the analysis, trimmed. */
export function summaryContent(text: string): string {
  const { analysis, summary } = findSections(text);
  if (summary) return inner(text, summary);
  return (analysis ? text.slice(0, analysis.start) + text.slice(analysis.end) : text).trim();
}

/** An extracted answer with a further part at the end of what it says as a summary. */
export function appendToSummary(text: string, part: string): string {
  const { summary } = findSections(text);
  if (!summary) return `${text.trimEnd()}\n\n${part}`;
  const said = text.slice(0, summary.innerEnd).trimEnd();
  return `${said}\n\n${part}\n${text.slice(summary.innerEnd)}`;
}

/**
 * A summary as the next model reads it: the tags become the labels `Analysis:` and `Summary:`, runs
 * of blank lines become one, the ends are trimmed; without `includeAnalysis` that part is dropped
 * (SPEC section 8, "Summary item").
 */
export function cleanSummary(raw: string, includeAnalysis: boolean): string {
  const { analysis, summary } = findSections(raw);
  const labelled: (Section & { text: string })[] = [];
  if (analysis) {
    const text = includeAnalysis ? `Analysis:\n${inner(raw, analysis)}` : '';
    labelled.push({ ...analysis, text });
  }
  if (summary) labelled.push({ ...summary, text: `Summary:\n${inner(raw, summary)}` });
  labelled.sort((a, b) => a.start - b.start);

  let text = '';
  let from = 0;
  for (const section of labelled) {
    text += raw.slice(from, section.start) + section.text;
    // An unclosed analysis runs right up to the summary, whose label needs a line of its own.
    if (section.text !== '' && section.isOpen) text += '\n';
    from = section.end;
  }
  return joinBlankLines(text + raw.slice(from)).trim();
}

/**
 * The text of the summary item (SPEC section 8). `cleaned` comes from `cleanSummary`; `automatic`
 * compactions ask the model to go on without questions.
 */
export function formatSummary(
  cleaned: string,
  options: {
    style: Config['summary_style'];
    automatic: boolean;
    /** What it tells can be recalled, up to this item. */
    recallThrough?: number | undefined;
  },
): string {
  const { recallThrough: through } = options;
  const recall = through === undefined ? '' : `\n${recallLine(through)}`;
  const isClaudeCode = options.style === 'claude-code';
  const text =
    'This session is being continued from a previous conversation that ran out of context.' +
    (isClaudeCode ? ' ' : '\n') +
    `The conversation is summarized below:\n${cleaned}${isClaudeCode ? '.' : ''}${recall}`;
  if (!options.automatic) return text;
  return (
    `${text}\nPlease continue the conversation from where we left it off without asking the user ` +
    'any further questions. Continue with the last task that you were asked to work on.'
  );
}

function recallLine(through: number): string {
  return (
    `[What is summarised above can be read in full: recall(items: "1-${through}"), and searched with ` +
    'search_history]'
  );
}

/** Offsets of a tagged part: of the whole with its tags, and of what stands between them. */
type Section = {
  start: number;
  innerStart: number;
  innerEnd: number;
  end: number;
  isOpen: boolean;
};

/**
 * Finds the two parts by plain searches, each linear in the text. Tags inside a part are text: the
 * analysis may mention `<summary>`, the summary may quote `</summary>`.
 */
function findSections(text: string): { analysis: Section | null; summary: Section | null } {
  const firstSummary = text.indexOf('<summary>');
  const firstAnalysis = text.indexOf('<analysis>');
  if (firstAnalysis === -1) return { analysis: null, summary: section(text, 'summary', 0, 'last') };
  if (firstSummary !== -1 && firstSummary < firstAnalysis) {
    const summary = section(text, 'summary', firstSummary, 'last');
    const analysis = summary && section(text, 'analysis', summary.end, 'first');
    return { analysis, summary };
  }
  const analysis = section(text, 'analysis', firstAnalysis, 'first');
  const summary = section(text, 'summary', analysis?.end ?? 0, 'last');
  if (!analysis || summary || firstSummary === -1) return { analysis, summary };
  if (!analysis.isOpen && text.slice(analysis.end).trim() !== '') return { analysis, summary };
  // No summary after the analysis but one inside it: the analysis was not closed before it.
  const inside = section(text, 'summary', firstSummary, 'last');
  return {
    analysis: { ...analysis, innerEnd: firstSummary, end: firstSummary, isOpen: true },
    summary: inside && { ...inside, end: Math.max(inside.end, analysis.end) },
  };
}

function section(
  text: string,
  tag: 'analysis' | 'summary',
  from: number,
  closing: 'first' | 'last',
): Section | null {
  const opening = `<${tag}>`;
  const closingTag = `</${tag}>`;
  const start = text.indexOf(opening, from);
  if (start === -1) return null;
  const innerStart = start + opening.length;
  const found =
    closing === 'first' ? text.indexOf(closingTag, innerStart) : text.lastIndexOf(closingTag);
  if (found < innerStart) {
    return { start, innerStart, innerEnd: text.length, end: text.length, isOpen: true };
  }
  return { start, innerStart, innerEnd: found, end: found + closingTag.length, isOpen: false };
}

function inner(text: string, { innerStart, innerEnd }: Section): string {
  return text.slice(innerStart, innerEnd).trim();
}

/** Nothing of an answer whose thoughts never end. */
function withoutThinking(answer: string): string {
  const text = withoutThoughts(answer).trimStart();
  return text.startsWith('<think>') ? '' : text;
}

function joinBlankLines(text: string): string {
  const lines: string[] = [];
  let wasBlank = false;
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    if (!isBlank) lines.push(line);
    else if (!wasBlank) lines.push('');
    wasBlank = isBlank;
  }
  return lines.join('\n');
}
