import type { Message, Normalised } from './item.ts';
import { messageText } from './message-text.ts';
import { DATE_NOTE } from './passing-notes.ts';
import { TAG_MARKS } from './speaker-marks.ts';
import { behindFiles, saidBySystem } from './system-notes.ts';
import { readUtterances } from './utterances.ts';

// System and developer messages after the start of a conversation: clients write their own notes in
// them, and operators of an agent tell it what holds from now on.

/**
 * Notes without a tag that clients write anew as a whole; later ones stand for earlier ones. What goes on
 * behind the date, or with another heading, may be all that an operator tells the agent.
 */
const REWRITTEN: readonly RegExp[] = [
  /^# Environment\n(?![\s\S]*\n# )/,
  /^# Environment update\n - Primary working directory: /,
  DATE_NOTE,
  /^The (?:TodoWrite tool|task tools) ha(?:sn't|ven't) been used recently\./,
  /^(?:Plan mode (?:is active|still active)|## (?:Exited|Re-entering) (?:Plan|Auto) Mode\n)/,
];

/** The first words of a reminder, which say what it is about. */
const TOPIC = /^\s*((?:\S{1,80}\s+){0,3}\S{0,80})/;

/**
 * Whether a message tells the agent what to do in the name of whoever runs it: of the role `system`
 * (or `developer`), and neither synthetic nor said by the user, a hook, a tool or another agent.
 */
export function isOfOperator(item: Normalised): item is Message {
  if (item.kind !== 'message' || item.role !== 'system' || item.is_meta) return false;
  if (item.speaker !== undefined) return item.speaker === 'project_instructions';
  const text = messageText(item);
  if (text.trim() === '') return false;
  const said = saidBySystem(text);
  if (said.some(({ speaker }) => speaker === 'user')) return false;
  const own = said.find(
    ({ speaker }) => speaker === 'program' || speaker === 'project_instructions',
  );
  // Words that bear no mark are the operator's here.
  const speaker = own === undefined ? null : readUtterances(behindFiles(own.text))[0]?.speaker;
  return speaker === 'user' || speaker === 'program' || speaker === 'project_instructions';
}

/**
 * What the newest such message stands for the older ones of: a block or a note that clients write anew.
 * Any other one has but its own words in common with a copy of it.
 */
function instructionKind(message: Message): string {
  return rewrittenKind(message) ?? `text ${messageText(message)}`;
}

/**
 * The blocks of a message with one among them that clients write anew, as Codex puts several into one: each
 * gives way by itself. Any other message is one block.
 */
export function instructionBlocks(message: Message): { kind: string; text: string }[] {
  const texts = message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const kinds = texts.map(rewrittenKindOf);
  if (texts.length < 2 || message.told_as !== undefined || kinds.every((kind) => kind === null)) {
    return [{ kind: instructionKind(message), text: messageText(message) }];
  }
  return texts.map((text, at) => ({ kind: kinds[at] ?? `text ${text}`, text }));
}

/** The kind of a message that clients write anew; null for any other. */
export function rewrittenKind(message: Message): string | null {
  // Each message of an agent is another one.
  const which = message.speaker === 'subagent' ? ` ${message.id ?? messageText(message)}` : '';
  if (message.told_as !== undefined) return `told ${message.told_as}${which}`;
  return rewrittenKindOf(messageText(message));
}

/** The same of a text. */
export function rewrittenKindOf(words: string): string | null {
  const text = behindFiles(words.trimStart());
  const note = REWRITTEN.findIndex((pattern) => pattern.test(text));
  if (note >= 0) return `note ${note}`;
  const tag = /^<([a-z][\w -]{0,60}?)[\s>]/i.exec(text)?.[1]?.toLowerCase();
  const name = tag === undefined ? undefined : nameOfTag(text, tag);
  if (name === undefined || goesOnBehind(text, name)) return null;
  if (!/reminder/.test(name)) return `tag ${name}`;
  return `tag ${name} ${TOPIC.exec(text.slice(text.indexOf('>') + 1))?.[1] ?? ''}`;
}

/** Whether words of an operator stand behind the block that a text begins with: no later block has them. */
function goesOnBehind(text: string, name: string): boolean {
  const close = text.lastIndexOf(`</${name.split(' ')[0]}`);
  const end = close < 0 ? -1 : text.indexOf('>', close);
  return end >= 0 && /^\s*[^<\s]/.test(text.slice(end + 1));
}

/** The name of a tag that programs write; one of them is of two words. */
function nameOfTag(text: string, tag: string): string | undefined {
  const whole = /^<([a-z][\w -]{0,60})>/i.exec(text)?.[1]?.toLowerCase();
  const name = whole !== undefined && TAG_MARKS.has(whole) ? whole : tag;
  const speaker = TAG_MARKS.get(name)?.speaker;
  return speaker === 'program' || speaker === 'project_instructions' ? name : undefined;
}
