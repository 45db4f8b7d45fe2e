import type { ToolCall } from '../../items/item.ts';
import { isJsonObject, type Json, stringField } from '../../json.ts';

const COMMAND_FIELDS = ['command', 'cmd', 'script', 'commands'];
const FOLDER_FIELDS = ['workdir', 'cwd', 'working_directory', 'directory', 'dir_path'];

/** A script that a call runs in a shell, and the folder that it is to run in. */
export type Script = { text: string; folder: string | null };

/** The script of a shell call; null for calls of other tools. Argument lists are quoted as needed. */
export function scriptOf({ input }: ToolCall): Script | null {
  if (!isJsonObject(input)) return null;
  const folder = FOLDER_FIELDS.map((field) => stringField(input, field)).find(Boolean) ?? null;
  for (const field of COMMAND_FIELDS) {
    const text = textOf(input[field]);
    if (text !== null) return { text, folder };
  }
  return null;
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
