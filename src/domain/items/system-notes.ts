import type { Speaker, Utterance } from './item.ts';
import {
  AGENTS_HEADING,
  ENVIRONMENT_NOTE,
  NOTICE_OF_OTHERS,
  REMINDER_OF_HOOK,
  REMINDER_OF_PROJECT,
  TAG_MARKS,
  TYPED_MEANWHILE,
} from './speaker-marks.ts';
import { hasOpening } from './speaker-openings.ts';
import { head, noticeOfOthers, typedMeanwhile } from './utterances.ts';

/** A text of more notes is not parted further. */
const MOST_NOTES = 200;
/** Of a paragraph so much is looked at. */
const LOOKED_AT = 1_000;

/** Whether others speak in a text of a program: most texts are one note, and are not parted. */
const MIXED =
  /(?:^|\n\n)(?:The user sent (?:a new message|the following)|The coordinator sent a message|\[SYSTEM NOTIFICATION\b|<task-notification>|<tools-used-before-summary>|(?:Another Claude|A peer) session sent a message|[A-Z]\w{1,40}(?::[\w.*|-]{1,80})? hook )/;

/**
 * Who speaks in a message of the role `system`. Claude Code puts into one what its hooks say, what the
 * user has typed meanwhile, what tasks and agents report and what it says itself, each in paragraphs of its
 * own. In reports it writes other signs for those of tags: so they end where their tag does. Hooks print
 * anybody's words, and what it tells of servers is theirs: behind such a note nobody is known to be the user.
 */
export function saidBySystem(text: string): Utterance[] {
  return notesSaid(text).flatMap(({ said }) => said);
}

/** What the user has typed meanwhile if the notes before it are to be believed; null for nothing. */
export function claimedBySystem(text: string): string | null {
  const claimed = notesSaid(text).flatMap((note) => note.claimed ?? []);
  return claimed.length === 0 ? null : claimed.join('\n');
}

/** How Claude Code up to 2.1.300 shows files that the user has named, and what it tells of itself behind them. */
const READ = /^Called the \w{1,60} tool with the following input: \{/;
const OF_ITSELF =
  '(?:# (?:Environment|MCP Server Instructions)\\n|The following (?:deferred tools|skills) are |Available agent types for )';
export const OF_ITSELF_BEGINS = new RegExp(`^${OF_ITSELF}`);
const BEHIND_FILES = new RegExp(`\\n\\n(?=${OF_ITSELF})`);

/** What is told in a text behind the files that it shows first; all of it where it shows none, or nothing else. */
export function behindFiles(text: string): string {
  const end = READ.test(text) ? BEHIND_FILES.exec(text) : null;
  return end === null ? text : text.slice(end.index).trimStart();
}

/** `claimed`: what the user has typed, where another may have put it there. */
type Note = { said: Utterance[]; claimed: string | null };

function notesSaid(text: string): Note[] {
  if (!MIXED.test(text)) return [{ said: [ofProgram(text)], claimed: null }];
  /** The last one whose words nothing ends for certain. */
  let unended: Speaker | null = null;
  return notesIn(text).map((note) => {
    const typed = typedMeanwhile(note);
    if (typed !== null) {
      return unended === null
        ? { said: [{ speaker: 'user', text: typed }], claimed: null }
        : { said: [{ speaker: unended, text: note }], claimed: typed };
    }
    const notice = noticeOfOthers(note);
    if (notice !== null) {
      if (afterNotice(note, 0) === 0) unended = 'subagent';
      return { said: notice, claimed: null };
    }
    const said: Utterance = REMINDER_OF_HOOK.test(note)
      ? { speaker: 'hook', text: note }
      : ofProgram(note);
    unended = said.speaker;
    return { said: [said], claimed: null };
  });
}

function ofProgram(text: string): Utterance {
  const isProject = AGENTS_HEADING.test(text) || REMINDER_OF_PROJECT.test(head(text));
  return { speaker: isProject ? 'project_instructions' : 'program', text };
}

/** The text in parts, each from the paragraph that begins a note up to the next such one. */
function notesIn(text: string): string[] {
  const notes: string[] = [];
  let from = 0;
  let at = afterNotice(text, 0);
  while (notes.length < MOST_NOTES) {
    const end = text.indexOf('\n\n', at);
    if (end === -1) break;
    at = end + 2;
    if (!beginsNote(text, at)) continue;
    notes.push(text.slice(from, end));
    from = at;
    at = afterNotice(text, at);
  }
  return [...notes, text.slice(from)];
}

/** Whether a note of a program, a hook or another agent begins at this place. */
export function beginsNote(text: string, at: number): boolean {
  const start = text.slice(at, at + LOOKED_AT);
  return (
    TYPED_MEANWHILE.test(start) ||
    REMINDER_OF_HOOK.test(start) ||
    ENVIRONMENT_NOTE.test(start) ||
    hasOpening(start) ||
    NOTICE_OF_OTHERS.test(start)
  );
}

/** Behind a line that says who has sent it. */
const TAG_OF_NOTICE = /^(?:[^<\n]{1,100}\n)?\s{0,9}<([a-z-]{1,40})[\s>]/;

/** The end of what a task or another agent says here, or this place where none does or no tag is around it. */
function afterNotice(text: string, at: number): number {
  const notice = NOTICE_OF_OTHERS.exec(text.slice(at, at + 20_000));
  if (notice === null) return at;
  const from = at + notice[0].length;
  const tag = TAG_OF_NOTICE.exec(text.slice(from, from + 300))?.[1];
  if (tag === undefined || TAG_MARKS.get(tag)?.speaker !== 'subagent') return at;
  const closing = `</${tag}>`;
  const end = text.indexOf(closing, from);
  return end === -1 ? text.length : end + closing.length;
}
