import type { Utterance } from './item.ts';
import {
  AGENTS_HEADING,
  ENVIRONMENT_NOTE,
  NOTICE_OF_TASK,
  REMINDER_OF_HOOK,
  REMINDER_OF_PROJECT,
  TYPED_MEANWHILE,
} from './speaker-marks.ts';
import { hasOpening } from './speaker-openings.ts';
import { head, noticeOfTask, typedMeanwhile } from './utterances.ts';

/** A text of more notes is not parted further. */
const MOST_NOTES = 200;
/** Of a paragraph so much is looked at. */
const LOOKED_AT = 1_000;
const TASK_END = '</task-notification>';

/** Whether others speak in a text of a program: most texts are one note, and are not parted. */
const MIXED =
  /(?:^|\n\n)(?:The user sent (?:a new message|the following)|\[SYSTEM NOTIFICATION\b|<task-notification>|[A-Z]\w{1,40}(?::[\w.*|-]{1,80})? hook )/;

/**
 * Who speaks in a message of the role `system`. Claude Code puts into one what its hooks say, what the
 * user has typed meanwhile, what tasks report and what it says itself, each in paragraphs of its own. In
 * reports it writes other signs for those of tags: so they end where their tag does.
 */
export function saidBySystem(text: string): Utterance[] {
  if (!MIXED.test(text)) return [ofProgram(text)];
  return notesIn(text).flatMap((note) => {
    const typed = typedMeanwhile(note);
    if (typed !== null) return [{ speaker: 'user', text: typed }];
    const notice = noticeOfTask(note);
    if (notice !== null) return notice;
    return REMINDER_OF_HOOK.test(note) ? [{ speaker: 'hook', text: note }] : [ofProgram(note)];
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
  let at = afterTask(text, 0);
  while (notes.length < MOST_NOTES) {
    const end = text.indexOf('\n\n', at);
    if (end === -1) break;
    at = end + 2;
    if (!beginsNote(text, at)) continue;
    notes.push(text.slice(from, end));
    from = at;
    at = afterTask(text, at);
  }
  return [...notes, text.slice(from)];
}

function beginsNote(text: string, at: number): boolean {
  const start = text.slice(at, at + LOOKED_AT);
  return (
    TYPED_MEANWHILE.test(start) ||
    REMINDER_OF_HOOK.test(start) ||
    ENVIRONMENT_NOTE.test(start) ||
    hasOpening(start) ||
    NOTICE_OF_TASK.test(start)
  );
}

/** The end of what a task reports here, or this place where none does. */
function afterTask(text: string, at: number): number {
  const notice = NOTICE_OF_TASK.exec(text.slice(at, at + 20_000));
  if (notice === null) return at;
  const end = text.indexOf(TASK_END, at + notice[0].length);
  return end === -1 ? text.length : end + TASK_END.length;
}
