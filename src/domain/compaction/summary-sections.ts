import type { SummaryTemplate } from './prompt.ts';

/**
 * What the headings of each template are recognised by, whatever form they are written in: one pattern
 * per section, tried against the title in lower case. A handoff note has no sections of its own.
 */
const SECTIONS: Record<SummaryTemplate, readonly RegExp[]> = {
  'nine-sections': [
    /request|intent/,
    /concept/,
    /file|code/,
    /error|fix/,
    /problem|solving/,
    /message/,
    /pending|todo|to-do/,
    /current/,
    /next/,
  ],
  'seven-sections': [
    /state|status/,
    /file/,
    /tool/,
    /error|problem/,
    /decision/,
    /guidance|preference|correction/,
    /next/,
  ],
  handoff: [],
};

/** A title that is longer is a sentence of a list, no heading. */
const LONGEST_TITLE = 90;

/** A heading of a text, and what stands on its line after the title. */
type HeadingLine = { style: string; title: string; rest: string };

/** The sections of a summary: how many were asked for, how many there are, and the text between them. */
export type FoundSections = { asked: number; found: number; named: number; body: string[] };

/**
 * Finds the sections of a summary. Those whose titles are the template's count, in any order and form
 * (numbers, Markdown, bold, a colon, tags); so do headings of one kind that were given other names, or
 * names in another language. `body` holds the lines without the titles.
 */
export function findSummarySections(text: string, template: SummaryTemplate): FoundSections {
  const patterns = SECTIONS[template];
  const named = new Set<RegExp>();
  const titles = new Map<string, Set<string>>();
  const body: string[] = [];
  for (const line of text.split('\n')) {
    const heading = headingOf(line);
    if (heading === null) {
      body.push(line);
      continue;
    }
    body.push(heading.rest);
    const title = heading.title.toLowerCase();
    const known = patterns.find((pattern) => !named.has(pattern) && pattern.test(title));
    if (known !== undefined) named.add(known);
    const others = titles.get(heading.style) ?? new Set();
    titles.set(heading.style, others.add(title));
  }
  const most = Math.max(0, ...[...titles.values()].map(({ size }) => size));
  const asked = patterns.length;
  return { asked, found: Math.min(asked, Math.max(named.size, most)), named: named.size, body };
}

function headingOf(line: string): HeadingLine | null {
  const text = line.trimEnd();
  const markdown = /^ {0,3}(#{1,6})\s+(\S.*)$/.exec(text);
  if (markdown?.[1] !== undefined && markdown[2] !== undefined) {
    return titled(markdown[1], plain(markdown[2]), false);
  }
  const tag = /^ {0,3}<([\p{L}_-]{3,60})>(?!.*<\/)/u.exec(text);
  if (tag?.[1] !== undefined) return { style: 'tag', title: tag[1].replaceAll('_', ' '), rest: '' };
  const numbered = /^ {0,3}(?:[*_]{2})?(\d{1,2})[.):．、]\s*(\S.*)$/u.exec(text);
  if (numbered?.[2] !== undefined) return titled('number', plain(numbered[2]), true);
  const bold = /^ {0,3}(?:[-*•] )?\*\*([^*]+)\*\*(.*)$/.exec(text);
  if (bold?.[1] !== undefined) {
    return titled('bold', `${bold[1]}${bold[2] ?? ''}`, false);
  }
  return /^[\p{L}][^:：]*[:：]$/u.test(text) ? titled('colon', text, true) : null;
}

/** Up to its colon a line is a title, what follows is text; without one, a short line is all title. */
function titled(style: string, line: string, needsColon: boolean): HeadingLine | null {
  const colon = line.search(/[:：]/u);
  if (colon === -1) {
    const isTitle = line.length <= LONGEST_TITLE && !(needsColon && /[.!?。]$/u.test(line));
    return isTitle ? { style, title: line, rest: '' } : null;
  }
  if (colon > LONGEST_TITLE) return null;
  return { style, title: line.slice(0, colon), rest: line.slice(colon + 1).trim() };
}

/** Without the marks of bold text and the number that a Markdown heading may begin with. */
function plain(title: string): string {
  return title.replaceAll('**', '').replace(/^\d{1,2}[.)]\s*/, '');
}
