import type { Message, ToolCall, ToolResult, Utterance } from './item.ts';
import { resultText } from './message-text.ts';
import { remindersOf, saidBehind } from './reminders.ts';
import { utterancesOf } from './speaker.ts';
import { AGENTS_HEADING } from './speaker-marks.ts';

/**
 * What a program tells beside what others say, and what holds from there on: instructions of the project
 * that it has read anew or found in a folder, how work is to be signed, which model answers, and which
 * tools there are. `about`: later ones about all of this stand for it.
 */
export type StandingNote = { text: string; about: readonly string[] };

const SIGNS =
  /Attribution for git commits|# AGENTS\.md instructions|^You are powered by the model named |^The following deferred tools are now available |^(?:Contents of|Instructions no longer present:) /m;

/** Whether a text has to be read for such notes: most have none. */
export function mayHoldNote(text: string): boolean {
  return SIGNS.test(text);
}

/** The notes in the texts of a message, in their order. */
export function standingNotesIn(message: Message): StandingNote[] {
  const isPossible = message.parts.some((part) => part.kind === 'text' && mayHoldNote(part.text));
  if (message.role !== 'user' || !isPossible) return [];
  return notesAmong(utterancesOf(message).flat());
}

/** The same behind what a call has brought. */
export function standingNotesBehind(call: ToolCall, result: ToolResult): StandingNote[] {
  const plain = remindersOf(call, resultText(result)).flatMap((text) => plainNote(text) ?? []);
  return [...notesAmong(saidBehind(call, result)), ...plain];
}

const MODEL =
  /^<system-reminder>\s{0,4}(You are powered by the model named (?:Claude )?[A-Z][a-z]{1,20}(?: \d{1,2}(?:\.\d{1,2})?)?(?: \(1M context\))?\. The exact model ID is [\w.:@/[\]-]{0,100}claude-[\w.:@/[\]-]{1,100}\.(?: Assistant knowledge cutoff is [A-Z][a-z]{2,8} \d{4}\.)?)\s{0,4}<\/system-reminder>$/;
const TOOLS =
  /^<system-reminder>\s{0,4}(The following deferred tools are now available via ToolSearch\. Their schemas are NOT loaded — calling them directly will fail with InputValidationError\. Use ToolSearch with query "select:<name>\[,<name>\.\.\.\]" to load tool schemas before calling them:\n((?:(?:[A-Z][A-Za-z]{1,40}|mcp__[\w-]{1,123})\n){1,500}))(?=\n|<\/system-reminder>)/;

/**
 * A note of a form that leaves no room for anybody's words, so that it may be believed wherever it stands:
 * the model that answers, or the names of tools. Null for any other.
 */
function plainNote(text: string): StandingNote | null {
  const model = MODEL.exec(text)?.[1];
  if (model !== undefined) return { text: block(model), about: ['model'] };
  const [, tools, names = ''] = TOOLS.exec(text) ?? [];
  if (tools === undefined) return null;
  const about = names.trim().split('\n');
  return { text: block(tools.trim()), about: about.map((name) => `tool ${name}`) };
}

function block(words: string): string {
  return `<system-reminder>\n${words}\n</system-reminder>`;
}

function notesAmong(said: readonly Utterance[]): StandingNote[] {
  return said.flatMap(({ speaker, text }) => {
    const isOfProgram = speaker === 'project_instructions' || speaker === 'program';
    const plain = isOfProgram ? plainNote(text.trim()) : null;
    if (plain !== null) return plain;
    const about = isOfProgram ? aboutOf(text.trim()) : [];
    return about.length === 0 ? [] : { text: text.trim(), about };
  });
}

const SIGNING = /^<system-reminder>\s{0,4}Attribution for git commits and pull requests you create/;
/** Codex says so where the file has changed since, or is gone. */
const REPLACES_AGENTS =
  /<INSTRUCTIONS>\s{0,4}(?:These AGENTS\.md instructions replace all previously|The previously provided AGENTS\.md instructions no longer)/;
const FILE = /^(?:Contents of|Instructions no longer present:) ([^\n]{1,700})$/gm;
/** What Claude Code says of a file behind its path. */
const WHOSE = /(?: \([^()]{1,200}\))?:$/;
/** How Claude Code tells of single files; else it tells all of them, and what they are. */
const OF_SINGLE_FILES =
  /^<system-reminder>\s{0,4}(?:Contents of |Instructions no longer present: |Instruction files were re-read |These instruction files changed)/;

function aboutOf(text: string): string[] {
  if (SIGNING.test(text)) return ['signing'];
  const heading = AGENTS_HEADING.exec(text.slice(0, 1_000));
  if (heading !== null) {
    return [REPLACES_AGENTS.test(text.slice(0, 2_000)) ? 'AGENTS.md' : heading[0].trim()];
  }
  const files = [...text.matchAll(FILE)].map(([, path = '']) => path.replace(WHOSE, ''));
  return files.length === 0 || OF_SINGLE_FILES.test(text) ? files : [...files, 'all files'];
}
