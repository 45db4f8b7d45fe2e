import { isJsonObject, type Json, stringField } from '../json.ts';
import type { ToolCall } from './item.ts';

const COMMAND_FIELDS = ['command', 'cmd', 'script', 'CommandLine'];
const FOLDER_FIELDS = ['workdir', 'cwd', 'working_directory', 'directory', 'dir_path', 'Cwd'];

/** A script that a call runs in a shell, and the folder that it is to run in. */
type Script = { text: string; folder: string | null };

/**
 * The script of a shell call; null for calls of other tools. Argument lists are quoted as needed, the
 * command lines of OpenAI's `commands` follow each other.
 */
export function scriptOf({ input }: ToolCall): Script | null {
  if (!isJsonObject(input)) return null;
  const folder = FOLDER_FIELDS.map((field) => stringField(input, field)).find(Boolean) ?? null;
  for (const field of COMMAND_FIELDS) {
    const text = textOf(input[field]);
    if (text !== null) return { text, folder };
  }
  const { commands } = input;
  if (typeof commands === 'string') return { text: commands, folder };
  if (!Array.isArray(commands)) return null;
  return { text: commands.filter((line) => typeof line === 'string').join('\n'), folder };
}

function textOf(command: Json | undefined): string | null {
  if (typeof command === 'string') return command;
  if (!Array.isArray(command)) return null;
  const args = command.filter((arg) => typeof arg === 'string');
  const [shell = '', option = '', script] = args;
  if (/(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(option)) return script ?? '';
  return args.map(quoted).join(' ');
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`;
}
