import type { ToolCall } from '../../items/item.ts';
import { scriptOf } from '../../items/shell-script.ts';
import type { FileAction } from '../../workspace/action.ts';
import { useOf } from '../../workspace/editor-actions.ts';
import { parseScript } from '../../workspace/shell/lex.ts';
import { inputOf, pathOf } from '../../workspace/tool-input.ts';
import { baseName, extractNames, isFileName } from '../names.ts';
import type { FileTable } from './files.ts';

/** Characters of one shell command that are searched for names of files. */
const MAX_COMMAND = 4_000;

/** Notes what a call has done to files (its actions), and which other files its input names. */
export function addCall(
  table: FileTable,
  call: ToolCall,
  actions: readonly FileAction[],
  index: number,
): void {
  const told = new Set<string>();
  for (const action of actions) {
    if (!('path' in action)) continue;
    if (addAction(table, action, index)) told.add(baseName(action.path));
    if ('to' in action && action.to !== null) told.add(baseName(action.to));
  }
  for (const path of namesIn(call)) {
    if (!told.has(baseName(path))) table.add({ path, use: 'named in commands' }, index);
  }
}

/** Adds what is certain of an action; false when it tells nothing certain. */
function addAction(
  table: FileTable,
  action: Extract<FileAction, { path: string }>,
  index: number,
): boolean {
  const { path } = action;
  switch (action.kind) {
    case 'seen':
      table.add({ path, use: 'read' }, index);
      return true;
    case 'written':
    case 'rewritten':
      table.add({ path, use: 'written' }, index);
      return true;
    case 'replaced':
    case 'inserted':
    case 'appended':
    case 'undone':
      table.add({ path, use: 'edited' }, index);
      return true;
    case 'patched':
      table.add({ path: action.to ?? path, use: 'edited' }, index);
      if (action.to !== null) table.move(path, action.to, index);
      return true;
    case 'moved':
      table.move(path, action.to, index);
      return true;
    case 'copied':
      table.add({ path: action.to, use: 'written' }, index);
      return false;
    case 'deleted':
      table.add({ path, use: 'deleted' }, index);
      return true;
    case 'changed':
      if (action.isCertain) table.add({ path, use: 'edited' }, index);
      return action.isCertain;
    case 'changed_outside':
    case 'ran':
      return false;
    default:
      return action satisfies never;
  }
}

/** Files that stand in a command line, what it is given to read aside, or that a search is to look into. */
function namesIn(call: ToolCall): string[] {
  const script = scriptOf(call)?.text.slice(0, MAX_COMMAND);
  if (script === undefined) {
    const path = useOf(call) === null ? pathOf(inputOf(call)) : undefined;
    return path !== undefined && path.length <= 500 && isFileName(path) ? [path] : [];
  }
  const pipelines = parseScript(script);
  const words = pipelines?.flatMap(({ commands }) =>
    commands.flatMap((command) => command.words.map(({ text }) => text)),
  );
  const parts = (words ?? script.split(/\s+/)).filter((word) => !word.includes('://'));
  return extractNames(parts.join('\n')).filter(
    (name) => isFileName(name) && !name.startsWith('/dev/'),
  );
}
