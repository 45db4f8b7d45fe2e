import type { ToolCall } from '../items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import type { FileAction } from './action.ts';
import { hunksOfBlocks } from './edit-blocks.ts';
import type { Replacement } from './known-text.ts';
import { lastLine } from './known-text.ts';
import { namedActions } from './named-files.ts';
import { numberedBlocks } from './numbered-lines.ts';
import { actionsOfPatch, addedText, hunksOf, patchIn } from './patch.ts';
import { mayOnlyShowByName } from './read-only.ts';
import { filesInTags, filesOfCline, manyFiles, readText, showsFolder } from './read-result.ts';
import { type Answer, isPlaceholder } from './result-text.ts';
import { isDryRun, isNotAsRead, isOtherwise, savedText } from './saved-text.ts';
import {
  firstNumber,
  firstString,
  inputOf,
  isRemote,
  ownName,
  pathOf,
  pathWithoutLines,
  toolName,
} from './tool-input.ts';

const USE_NAMES = [
  'read',
  'write',
  'edit',
  'insert',
  'undo',
  'delete',
  'move',
  'copy',
  'patch',
] as const;
type Use = (typeof USE_NAMES)[number];

/** What the tools do that agents have for files, by their names without case and dividers. */
const USES = usesByName({
  read: 'read readfile readfiles readtextfile view viewfile openfile cat',
  write: 'write writefile writetofile create createfile createtextfile createnewfile savefile',
  edit:
    'edit editfile multiedit replace strreplace searchreplace replacestringinfile ' +
    'multireplacestringinfile inserteditintofile editnotebookfile replaceinfile applydiff ' +
    'searchandreplace replacefilecontent multireplacefilecontent notebookedit',
  insert: 'insert insertcontent',
  undo: 'undoedit',
  delete: 'deletefile removefile deletepath',
  move: 'movefile renamefile movepath',
  copy: 'copyfile copypath',
  patch: 'applypatch patch',
});
const NO_TEXT = /\.(?:ipynb|pdf|png|jpe?g|gif|webp)$/i;
const EDITORS = /^(?:strreplace(?:based)?edit(?:or|tool)|texteditor|(?:file)?editor|fswrite)/;
const COMMAND_USES = usesByName({
  read: 'view',
  write: 'create write',
  edit: 'str_replace edit_file append',
  insert: 'insert',
  undo: 'undo_edit',
  delete: 'delete',
  move: 'rename',
});

/**
 * What a tool does by its name and the command in its input, or by what only an edit is given; null for tools
 * that work on no file.
 */
export function useOf(call: ToolCall): Use | null {
  const input = inputOf(call);
  if (isRemote(input)) return null;
  if (isEditor(call)) return useOfEditor(input);
  const named = USES.get(toolName(call));
  if (named !== undefined) return named;
  if (mayOnlyShowByName(call.name)) return null;
  return useAtServer(ownName(call.name)) ?? (isReplacement(input) ? 'edit' : null);
}

/** The fields for a text of a file and the one in its place, as agents name them. */
const PAIRS = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldString', 'newString'],
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
] as const;

/**
 * Nanocoder and Desktop Commander: `string_replace` and `edit_block`. What a tool does where there is nothing to
 * be replaced, nobody knows.
 */
function isReplacement(input: JsonObject): boolean {
  const isPair = ([from, to]: (typeof PAIRS)[number]) =>
    (stringField(input, from) ?? '') !== '' && typeof input[to] === 'string';
  return pathOf(input) !== undefined && PAIRS.some(isPair);
}

/** By its command; those of Cline and Grok CLI have none, and do what they are given the texts and the line for. */
function useOfEditor(input: JsonObject): Use | null {
  const command = stringField(input, 'command');
  if (command !== undefined) return COMMAND_USES.get(command) ?? null;
  if (stringField(input, 'new_text') === undefined) return isReplacement(input) ? 'edit' : null;
  if (typeof input.insert_line === 'number') return 'insert';
  return typeof input.old_text === 'string' ? 'edit' : 'write';
}

/** How Cline says that it has made the file, which was not there to be edited. */
const CREATED = /^\{"query":"edit:.{1,4200}?","result":"File created successfully at: /;

/** A tool that does several things to files, by a word that it is given as its command. */
export function isEditor(call: ToolCall): boolean {
  return EDITORS.test(toolName(call)) || isMemoryTool(call);
}

/** Anthropic's, whose files lie in a folder of this name; of others that are called so nobody knows. */
function isMemoryTool(call: ToolCall): boolean {
  const { command, path, old_path: from } = inputOf(call);
  const place = path ?? from;
  return (
    toolName(call) === 'memory' &&
    typeof command === 'string' &&
    typeof place === 'string' &&
    /^\/memories(?:\/|$)/.test(place)
  );
}

/** What each tool does, from the names of those that do the same. */
function usesByName(names: Readonly<Partial<Record<Use, string>>>): ReadonlyMap<string, Use> {
  const uses = USE_NAMES.flatMap((use) => {
    const own = names[use]?.split(' ') ?? [];
    return own.map((name) => [name, use] as const);
  });
  return new Map(uses);
}

/** Some programs write the server before the name without a divider: `mcp_filesystem_edit_file`. */
function useAtServer(name: string): Use | null {
  const words = name.toLowerCase().split('_').slice(0, 20);
  for (let at = 1; at < words.length - 1; at++) {
    const own = words.slice(at).join('');
    const use = own.includes('file') ? USES.get(own) : undefined;
    if (use !== undefined) return use;
  }
  return null;
}

/**
 * What a tool with a path among its input has done, as far as its answer says that it has, and that others
 * have changed the file meanwhile.
 */
export function editorActions(call: ToolCall, answer: Answer): FileAction[] {
  const done = answer.isFailed ? [] : doneBy(call, answer);
  const path = pathOf(inputOf(call));
  if (path === undefined || useOf(call) === 'read' || !isNotAsRead(answer.text)) return done;
  return [...done, { kind: 'changed_outside', path, lines: null, by: MEANWHILE }];
}

const MEANWHILE = 'a change by the user or a program';

function doneBy(call: ToolCall, answer: Answer): FileAction[] {
  const use = useOf(call);
  if (use === 'patch') return patchActions(call);
  const input = inputOf(call);
  if (toolName(call) === 'readmanyfiles') return manyFiles(answer.text);
  const queried = use === 'read' ? filesOfCline(call, input, answer) : null;
  if (queried !== null) return queried;
  const windowed = windowActions(use, input, answer);
  if (windowed !== null) return windowed;
  if (use === 'read' && showsFolder(answer.text)) return [];
  const given = pathOf(input);
  const path = use === 'read' && given !== undefined ? pathWithoutLines(given) : given;
  if (use === null || isDryRun(input)) return [];
  const tagged = use === 'read' ? filesInTags(call, input, path, answer) : null;
  if (tagged !== null) return tagged;
  if (Array.isArray(input.replacements)) return replacementsByFile(call, input.replacements);
  if (path === undefined) return useWithoutPath(use, call);
  const saved = use === 'read' ? null : savedText(answer.text);
  if (saved !== null) return [{ kind: 'written', path, text: saved }];
  if (use !== 'read' && isOtherwise(answer.text)) {
    return [
      {
        ...changed(path, call),
        by: `${call.name}, of which the user or an editor made something else`,
      },
    ];
  }
  switch (use) {
    case 'read':
      // What is shown of a notebook are its cells, not the file.
      return NO_TEXT.test(path)
        ? [{ kind: 'seen', path, text: null }]
        : [{ kind: 'seen', path, text: readText(call, input, path, answer) }];
    case 'write':
      return [writeAction(call, path, input)];
    case 'edit':
      if (CREATED.test(answer.text)) return [writeAction(call, path, input)];
      return [editAction(call, path, input)];
    case 'insert':
      return [insertAction(call, path, input)];
    case 'undo':
      return [{ kind: 'undone', path }];
    case 'delete':
      return [{ kind: 'deleted', path }];
    case 'move':
    case 'copy':
      return moveActions(input, use);
    default:
      return use satisfies never;
  }
}

function useWithoutPath(use: Use, call: ToolCall): FileAction[] {
  if (use === 'read') return [];
  return use === 'move' || use === 'copy' ? moveActions(inputOf(call), use) : namedActions(call);
}

function changed(path: string, { name }: ToolCall): FileAction & { kind: 'changed' } {
  return { kind: 'changed', path, by: name, isCertain: true };
}

const TEXT = 'content file_text contents text code file_content CodeContent new_text'.split(' ');

function writeAction(call: ToolCall, path: string, input: JsonObject): FileAction {
  const text = firstString(input, TEXT);
  const isKnown = text !== undefined && !isPlaceholder(text);
  // Kimi Code, and servers such as Desktop Commander.
  if (input.mode === 'append') {
    return isKnown ? { kind: 'appended', path, text } : changed(path, call);
  }
  return isKnown ? { kind: 'written', path, text } : { kind: 'rewritten', path };
}

/** Roo Code and Cline name the line that the text goes in front of, Roo Code 0 for the end. */
function insertAction(call: ToolCall, path: string, input: JsonObject): FileAction {
  const isBefore = toolName(call) === 'insertcontent' || 'new_text' in input;
  const line = firstNumber(input, ['insert_line', 'line']);
  const text = firstString(input, ['new_str', 'insert_text', 'text', 'content', 'new_text']);
  if (line === undefined || text === undefined || (isBefore && line < 1))
    return changed(path, call);
  return { kind: 'inserted', path, after: isBefore ? line - 1 : line, text };
}

const OLD = [
  'old_string',
  'old_str',
  'oldText',
  'oldString',
  'search',
  'old_text',
  'TargetContent',
];
const NEW = [
  'new_string',
  'new_str',
  'newText',
  'newString',
  'replace',
  'new_text',
  'ReplacementContent',
];

/** The source of a cell of a notebook, as Claude Code and VS Code name it. */
const CELL = ['new_source', 'newCode'];

function editAction(call: ToolCall, path: string, input: JsonObject): FileAction {
  const edits = input.edits ?? input.ReplacementChunks;
  const list = Array.isArray(edits) ? edits.filter(isJsonObject) : [input];
  const replacements = list.flatMap((edit) => replacementOf(edit) ?? []);
  const [only] = replacements;
  const cell = firstString(input, CELL) ?? '';
  if (cell !== '' && input.edit_mode !== 'delete') return { ...changed(path, call), text: cell };
  // It replaces every place, and some of what it is given are patterns.
  if (toolName(call) === 'searchandreplace') return changed(path, call);
  if (replacements.length < Math.max(1, list.length)) {
    const hunks = hunksOfBlocks(stringField(input, 'diff') ?? '');
    return hunks === null ? changed(path, call) : { kind: 'patched', path, hunks, to: null };
  }
  // The way of several tools to make a file, or to write all of an empty one.
  if (only?.from === '') return { kind: 'written', path, text: only.to };
  return { kind: 'replaced', path, replacements };
}

/** Edits of several files in one call, in their order. */
function replacementsByFile(call: ToolCall, edits: readonly Json[]): FileAction[] {
  return edits.flatMap((edit): FileAction[] => {
    const path = isJsonObject(edit) ? pathOf(edit) : undefined;
    return path === undefined || !isJsonObject(edit) ? [] : [editAction(call, path, edit)];
  });
}

function replacementOf(edit: JsonObject): Replacement | null {
  const from = firstString(edit, OLD);
  const to = firstString(edit, NEW) ?? '';
  const times = firstNumber(edit, ['expected_replacements']) ?? 1;
  const all =
    edit.replace_all === true ||
    edit.replaceAll === true ||
    edit.allow_multiple === true ||
    edit.AllowMultiple === true;
  return from === undefined ? null : { from, to, all: all || times > 1 };
}

function moveActions(input: JsonObject, use: 'move' | 'copy'): FileAction[] {
  const path = firstString(input, ['source', 'from', 'old_path', 'source_path', 'path']);
  const to = firstString(input, ['destination', 'to', 'new_path', 'destination_path']);
  if (path === undefined || to === undefined) return [];
  return [{ kind: use === 'move' ? 'moved' : 'copied', path, to }];
}

/** Codex takes its patch as a text, or as a field; the Responses API as an operation on one file. */
function patchActions(call: ToolCall): FileAction[] {
  const { input } = call;
  if (typeof input === 'string') return actionsOfPatch(patchIn(input) ?? '');
  if (!isJsonObject(input)) return [];
  const diff = stringField(input, 'diff');
  const path = stringField(input, 'path');
  if (path === undefined) {
    const text = firstString(input, ['input', 'patch', 'patchText', 'explanation']) ?? '';
    const patch = patchIn(text);
    return patch === undefined ? namedActions(call) : actionsOfPatch(patch);
  }
  const body = (diff ?? '').split('\n');
  if (input.type === 'create_file') return [{ kind: 'written', path, text: addedText(body) }];
  if (input.type === 'delete_file') return [{ kind: 'deleted', path }];
  return [{ kind: 'patched', path, hunks: hunksOf(body), to: null }];
}

/**
 * SWE-agent's first tools work on the file that is open and show a window of it after each call.
 * Null when the answer shows none.
 */
function windowActions(use: Use | null, input: JsonObject, answer: Answer): FileAction[] | null {
  const head = /(?:^|\n)\[File: ([^\n]{1,4096}) \((\d{1,9}) lines total\)\]\n/.exec(answer.text);
  if (head === null) return null;
  const path = openFileIn(answer.text) ?? head[1] ?? '';
  // It shows how the file would look after an edit that was refused.
  if (/would have looked|was NOT applied|not applied/i.test(answer.text)) return [];
  const rest = answer.text.slice(head.index + head[0].length);
  const blocks = numberedBlocks(rest.replace(/^\(\d{1,9} more lines above\)\n/, ''), 'colon');
  const from = firstString(input, OLD);
  const actions: FileAction[] = [];
  if (use === 'edit' && from !== undefined) {
    const all = input['replace-all'] === true || input['replace-all'] === 'True';
    const to = firstString(input, NEW) ?? '';
    actions.push({ kind: 'replaced', path, replacements: [{ from, to, all }] });
  }
  if (blocks === null) return actions;
  const total = Number(head[2]);
  // The tool does not count the empty line after the last line feed.
  const shown = blocks.map((block) =>
    lastLine(block) === total ? { ...block, text: `${block.text}\n` } : block,
  );
  actions.push({ kind: 'seen', path, text: { blocks: shown, total: total + 1 } });
  return actions;
}

function openFileIn(text: string): string | undefined {
  return /\n\(Open file: (\/[^\n)]{1,4096})\)/.exec(text.slice(-8_500))?.[1];
}
