import type { Conversation } from './conversation.ts';

/** One genuine message of the user: words that a person wrote, without what programs put around them. */
export type UserMessage = { text: string; item: number };

/** Blocks that programs write into messages of the role `user`. */
const PROGRAM_TAGS = [
  ...['system-reminder', 'command-name', 'command-message', 'command-args', 'command-contents'],
  ...['local-command-stdout', 'local-command-stderr', 'local-command-caveat', 'task-notification'],
  ...['bash-input', 'bash-stdout', 'bash-stderr', 'user-prompt-submit-hook', 'ide_opened_file'],
  ...['ide_selection', 'environment_context', 'user_instructions', 'permissions instructions'],
  ...['collaboration_mode', 'turn_aborted', 'subagent_notification', 'user_shell_command', 'skill'],
  ...['apps_instructions', 'skills_instructions', 'plugins_instructions', 'current_datetime'],
  ...['reminder', 'tool_use_error', 'persisted-output', 'retrieval_status', 'task_id'],
];
const PROGRAM_BLOCK = new RegExp(
  `<(${PROGRAM_TAGS.join('|')})(?:\\s[^<>]*)?>[\\s\\S]*?</\\1>`,
  'g',
);

/** Messages that begin like this are written by a program from end to end. */
const PROGRAM_OPENINGS: readonly RegExp[] = [
  /^\[Request interrupted/,
  /^Caveat: The messages below were generated/,
  /^This session is being continued from a previous conversation/,
  /^# AGENTS\.md instructions/,
  /^Base directory for this skill:/,
  /^(?:Stop hook feedback|Operation stopped by hook|PreToolUse|PostToolUse|UserPromptSubmit hook)/,
  /^Your task is to create a detailed summary/,
  /^API Error/,
  /^Full transcript available at:/,
  /^\/[a-z][a-z-]*\s*$/,
];

/** The user's own messages, in their order; of a message in several parts one text is made. */
export function userMessages({ passages }: Conversation): UserMessage[] {
  const byItem = new Map<number, string[]>();
  for (const { voice, text, item } of passages) {
    if (voice !== 'user') continue;
    const own = ownWords(text);
    if (own !== '') byItem.set(item, [...(byItem.get(item) ?? []), own]);
  }
  return [...byItem].map(([item, texts]) => ({ item, text: texts.join('\n') }));
}

/** A command that the user typed, as its program hands it over: the words after its name. */
const COMMAND =
  /<command-name>([^<]*)<\/command-name>[\s\S]*?<command-args>([\s\S]*?)<\/command-args>/;

/** The words of a person in a text of the role `user`; '' when there are none. */
export function ownWords(text: string): string {
  const [, name = '', words = ''] = COMMAND.exec(text) ?? [];
  if (words.trim() !== '') return `${name.trim()} ${words.trim()}`;
  const own = text.replace(PROGRAM_BLOCK, ' ').trim();
  return PROGRAM_OPENINGS.some((pattern) => pattern.test(own)) ? '' : own;
}
