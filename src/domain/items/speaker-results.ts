import type { Utterance } from './item.ts';

/**
 * Results that agents without calls in their format tell in texts of the role `user`. Cline and its
 * kin write the call in brackets, `[read_file for 'a.ts'] Result:`, and what it returned into the same
 * text or into the next ones; opencode tells the call in one text and its result in the next.
 */
const HEADING_START =
  /^\[(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|skill|condense|think)(?=\]| (?:for|in|to|with) )/;
const HEADING_END = /\] Result:[ \t]*(?:\(see images? below\)[ \t]*)?(?=\n|$)/;
/** Commands of several lines stand in headings as a whole; nobody needs to search further than this. */
const LONGEST_HEADING = 20_000;

/** These print what files and pages hold, and that may begin with any tag. */
const PRINTING =
  /^\[(?:read|list|search|codebase|execute|write|replace|apply|insert|browser|use|access|fetch|web|run)_/;

/** The sentences before the words of the user, and the tags around these. */
const SENTENCE =
  '(?:\\[?The user\\b(?! (?:sent|attached) an )|You seem to be having trouble proceeding\\.|New instructions for task continuation:|New message to respond to)[^\\n]{0,400}';
const TOLD = new RegExp(`(?:^|\\n)${SENTENCE}\\n+<(feedback|user_message|answer)>`, 'g');
export const TELLS_OF_USER = new RegExp(
  `^(?:${SENTENCE}\\n+)?${SENTENCE}\\n+<(?:feedback|user_message|answer)>`,
);
const BARE_ANSWER = /^\s*<(answer|feedback|user_message|task)>/;

const ENVIRONMENT = '<environment_details>';
const NO_CONTENT =
  /^\s*(?:<environment_details>|\[ERROR\] You did not use a tool |\[TASK RESUMPTION\] )/;

const CALLED =
  /^\s*(?:Called the \w{1,60} tool with the following input: *\{[^\n]*|Reading MCP resource: [^\n]{1,500} \([^()\n]{1,500}\))\s*$/;

/** The heading of a result at this place; null when none stands there. */
export function resultHeading(text: string, at: number): string | null {
  if (text[at] !== '[' || !HEADING_START.test(text.slice(at, at + 100))) return null;
  const start = text.slice(at, at + LONGEST_HEADING);
  const end = HEADING_END.exec(start);
  return end === null ? null : start.slice(0, end.index + end[0].length);
}

/**
 * What stands in a result with this heading: the tool's, but for what the user has answered, which
 * stands in tags after a sentence of the program, or alone where the user was asked.
 */
export function resultSaid(text: string, heading: string): Utterance[] {
  const said: Utterance[] = [];
  const say = (speaker: Utterance['speaker'], from: number, to: number) => {
    const words = text.slice(from, to).trim();
    if (words !== '') said.push({ speaker, text: words });
  };
  const bare = PRINTING.test(heading) ? null : BARE_ANSWER.exec(text.slice(0, 1_000));
  const found = bare === null ? [] : [bare];
  let at = 0;
  for (const answer of [...found, ...text.matchAll(TOLD)]) {
    const [opening, tag = ''] = answer;
    if (answer.index < at) continue;
    const from = answer.index + opening.length;
    const closing = new RegExp(`</${tag}>[ \\t]*(?=\\n|$)`, 'g');
    closing.lastIndex = from;
    const close = closing.exec(text);
    say('tool', at, from - tag.length - 2);
    say('user', from, close?.index ?? text.length);
    at = close === null ? text.length : closing.lastIndex;
  }
  const rest = text.slice(at).trimEnd();
  const isSurrounded = rest.endsWith('</environment_details>');
  const place = isSurrounded ? rest.lastIndexOf(ENVIRONMENT) : -1;
  say('tool', at, place < 0 ? text.length : at + place);
  if (place >= 0) say('program', at + place, text.length);
  return said;
}

/** What a text leaves open: the next texts of its message are a result, or the very next one is. */
export type OpenResult = { kind: 'results'; heading: string } | { kind: 'one' };

export function openedBy(text: string): OpenResult | null {
  const trimmed = text.trim();
  const heading = resultHeading(trimmed, 0);
  if (heading !== null && heading.length === trimmed.length) return { kind: 'results', heading };
  return CALLED.test(text) ? { kind: 'one' } : null;
}

/** Whether a text after a heading is no content of its result but the next heading or a note. */
export function endsResult(text: string): boolean {
  return NO_CONTENT.test(text.slice(0, 200)) || resultHeading(text.trimStart(), 0) !== null;
}
