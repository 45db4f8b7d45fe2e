import type { Utterance } from './item.ts';

/** How commands of Spec Kit begin, and those that are written after them; that for checklists says first what for. */
const OPENING =
  /^(?:## Checklist Purpose\b([\s\S]{1,4000}?)\n)?## User Input(?:\r?\n){1,3}```text\r?\n/;
const LONGEST_OPENING = 4_100;
/** What stands behind the words that were typed after the command; the fence may hold one of its own. */
const BEHIND =
  /\r?\n```(?:\r?\n){1,3}(?:You \*\*MUST\*\* c|C)onsider the user input before proceeding \(if not empty\)\./;
const AIM = /^## (?:Outline|Goal|Purpose)[ \t\r]*$/m;
/** The first sentence below the headings, without the mark and the label of a step. */
const FIRST_SENTENCE =
  /^(?!#)(?:\d{1,2}\. )?(?:\*\*[^*\n]{1,60}\*\*: )?([^\s.][^\n]{0,400}?[.!:])(?=\s|$)/m;
/** It stands near, where there is one. */
const LOOKED_AT = 2_000;

/** How `/init` of OpenCode begins, up to what was typed after it, and what stands behind that. */
const INIT =
  /^(Create or update `AGENTS\.md` for this repository\.)\s{1,4}The goal is a compact instruction file that helps future OpenCode sessions [^\n]{1,600}\s{1,4}User-provided focus or constraints \(honor these\):[ \t]*\n/;
const BEHIND_INIT = /\n## How to investigate\s{1,4}Read the highest-value sources first:/;

/**
 * A command whose text a client has put in place of its name, as Codex and others do: of all that, the
 * user has typed no more than what stands in its fence, or behind its first sentences. Often that is
 * nothing, or "US1": which command it was is told by the first sentence of what it does.
 */
export function commandTemplateAt(text: string, at: number, end: number): Utterance[] | null {
  return initAt(text, at, end) ?? commandOfSpecKit(text, at, end);
}

function initAt(text: string, at: number, end: number): Utterance[] | null {
  const [opening, aim = ''] = INIT.exec(text.slice(at, at + LOOKED_AT)) ?? [];
  if (opening === undefined) return null;
  // Where nothing was typed, its end is that of an empty line.
  const from = at + opening.length - 1;
  const behind = BEHIND_INIT.exec(text.slice(from, end));
  if (behind === null) return null;
  const typed = text.slice(from, from + behind.index).trim();
  return [
    { speaker: 'program', text: opening },
    { speaker: 'user', text: `${aim}\n${typed}`.trim() },
    { speaker: 'program', text: text.slice(from + behind.index, end) },
  ];
}

function commandOfSpecKit(text: string, at: number, end: number): Utterance[] | null {
  const [opening, purpose] = OPENING.exec(text.slice(at, at + LONGEST_OPENING)) ?? [];
  if (opening === undefined) return null;
  // An empty fence closes in the line in which it opens.
  const from = at + opening.length - 1;
  const behind = BEHIND.exec(text.slice(from, end));
  if (behind === null) return null;
  const typed = text.slice(from, from + behind.index).trim();
  const rest = text.slice(from + behind.index, end);
  const body = purpose ?? rest.slice(behind[0].length);
  const below = AIM.exec(body)?.index ?? 0;
  const aim = FIRST_SENTENCE.exec(body.slice(below, below + LOOKED_AT))?.[1] ?? '';
  return [
    { speaker: 'program', text: opening },
    { speaker: 'user', text: `${typed}\n${aim}`.trim() },
    { speaker: 'program', text: rest },
  ];
}
