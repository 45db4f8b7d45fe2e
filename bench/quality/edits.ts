import { isJsonObject, type JsonObject, stringField } from '../../src/domain/json.ts';
import type { Call, Conversation } from './conversation.ts';
import { commandOf, hasFailed } from './runs.ts';

/** One change of one file; the texts are what it put there and what it took away. */
export type Edit = {
  path: string;
  kind: 'changed' | 'created' | 'deleted';
  added: string;
  removed: string;
  /** The place of the call. */
  item: number;
  /** What was taken away stood there in one piece, and only once. */
  is_unique?: true;
};

/** All changes of files that worked, in their order, from what the calls themselves say. */
export function editsIn({ calls }: Conversation): Edit[] {
  const edits: Edit[] = [];
  let open = '';
  for (const call of calls) {
    open = openedBy(call) ?? open;
    if (call.result === null || hasFailed(call)) continue;
    edits.push(...editsOf(call, open));
  }
  return edits
    .filter(({ path }) => path !== '' && !path.startsWith('/dev/'))
    .map((edit) => ({ ...edit, path: slashed(edit.path) }));
}

/** Elsewhere than on Windows a backslash is a character like others. */
function slashed(path: string): string {
  return /^[A-Za-z]:\\/.test(path) ? path.replaceAll('\\', '/') : path;
}

function editsOf(call: Call, open: string): Edit[] {
  const { input, item } = call;
  const asked = typeof input === 'string' ? input : (commandOf(call) ?? patchField(input));
  const text = asked.includes('tools.apply_patch') ? unescaped(asked) : asked;
  if (text !== '') {
    const patch = text.includes('*** Begin Patch') ? editsOfPatch(text, item) : [];
    return patch.length > 0
      ? patch
      : [...editsOfShell(text, item), ...editsOfSweAgent(text, open, item)];
  }
  return isJsonObject(input) ? editsOfFields(input, call, open) : [];
}

/** A patch that stands in a script stands there as a text with escapes. */
function unescaped(script: string): string {
  return script.replace(/\\(n|["'\\`])/g, (_, char: string) => (char === 'n' ? '\n' : char));
}

function patchField(input: unknown): string {
  return isJsonObject(input)
    ? (stringField(input, 'patch') ?? stringField(input, 'input') ?? '')
    : '';
}

const OLD = ['old_string', 'oldText', 'old_str', 'search', 'old_text', 'old'];
const NEW = ['new_string', 'newText', 'new_str', 'replace', 'new_text', 'new_source', 'new'];
const WHOLE = ['content', 'file_text', 'contents', 'text'];
const WRITES = /write|create|insert|save|notebook|edit/i;

function editsOfFields(input: JsonObject, { name, item }: Call, open: string): Edit[] {
  const path = pathField(input) ?? open;
  const edit = (kind: Edit['kind'], added: string, removed: string): Edit => ({
    ...{ path, kind, added, removed, item },
  });
  if (Array.isArray(input.edits)) {
    return input.edits
      .filter(isJsonObject)
      .map((one) => edit('changed', field(one, NEW) ?? '', field(one, OLD) ?? ''));
  }
  const [added, removed] = [field(input, NEW), field(input, OLD)];
  if (added !== undefined) {
    const isUnique = removed !== undefined && input.replace_all !== true;
    return [{ ...edit('changed', added, removed ?? ''), ...(isUnique ? { is_unique: true } : {}) }];
  }
  const whole = field(input, WHOLE);
  if (whole !== undefined && WRITES.test(name)) return [edit('created', whole, '')];
  return [];
}

/** The file that the arguments of a call name. */
export function pathField(input: JsonObject): string | undefined {
  return field(input, ['file_path', 'path', 'filename', 'notebook_path', 'filePath', 'file']);
}

function field(input: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = stringField(input, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

const PATCH_FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/** The files of a patch in Codex's own form. */
function editsOfPatch(text: string, item: number): Edit[] {
  const edits: Edit[] = [];
  for (const line of text.split('\n')) {
    const file = PATCH_FILE.exec(line);
    if (file !== null) {
      const kind = { Add: 'created', Update: 'changed', Delete: 'deleted' } as const;
      const word = file[1] === 'Add' || file[1] === 'Delete' ? file[1] : 'Update';
      edits.push({ path: (file[2] ?? '').trim(), kind: kind[word], added: '', removed: '', item });
      continue;
    }
    const edit = edits.at(-1);
    const moved = /^\*\*\* Move to: (.+)$/.exec(line);
    if (edit === undefined) continue;
    if (moved?.[1] !== undefined) {
      edits.splice(-1, 0, { ...edit, kind: 'deleted', added: '', removed: '' });
      edit.path = moved[1].trim();
    } else if (line.startsWith('+')) edit.added += `${line.slice(1)}\n`;
    else if (line.startsWith('-')) edit.removed += `${line.slice(1)}\n`;
  }
  return edits;
}

const HEREDOC =
  /(?:cat|tee)\b([^\n<>|]*)(?:>{1,2}\s*([^\s<>|&;]+)\s*)?<<-?\s*['"]?(\w+)['"]?([^\n]*)\n([\s\S]*?)\n\s*\3\b/g;
/** A text that PowerShell puts into a file. */
const HANDED_ON =
  /@(['"])\r?\n([\s\S]*?)\r?\n\1@\s*(?:>|\|\s*(?:Set-Content|Out-File)\s+(?:-(?:Path|LiteralPath|FilePath)\s+)?)\s*["']?([^\s"'|;]+)/gi;
const SED =
  /\bsed\s+(?:-\w+\s+)*-i(?:\.\w+|\s+'')?\s+(?:-\w+\s+)*(['"])(?:\d[\d,$]*)?s([/|#@])([\s\S]*?)\2([\s\S]*?)\2\w*\1\s+([^\s;&|]+)/g;
const REMOVE = /(?:^|&&|;|\n)\s*(?:git\s+)?rm\s+((?:-\w+\s+)*)([^\n;&|]+)/g;

function editsOfShell(command: string, item: number): Edit[] {
  const edits: Edit[] = [];
  for (const match of command.matchAll(HEREDOC)) {
    const [, before = '', to, , rest = '', body = ''] = match;
    const target = to ?? /^\s*>{1,2}\s*([^\s;&|]+)/.exec(rest)?.[1] ?? teeTarget(match[0], before);
    if (target === undefined) continue;
    edits.push({ path: unquoted(target), kind: 'created', added: body, removed: '', item });
  }
  for (const [, , added = '', to = ''] of command.matchAll(HANDED_ON)) {
    edits.push({ path: to.replaceAll('\\', '/'), kind: 'created', added, removed: '', item });
  }
  const outside = command.replace(HEREDOC, '');
  for (const [, , , removed = '', added = '', path = ''] of outside.matchAll(SED)) {
    edits.push({ path: unquoted(path), kind: 'changed', added, removed, item });
  }
  for (const [, , paths = ''] of outside.matchAll(REMOVE)) {
    for (const path of paths.trim().split(/\s+/).filter(isPlainFile)) {
      edits.push({ path: unquoted(path), kind: 'deleted', added: '', removed: '', item });
    }
  }
  return edits;
}

function teeTarget(command: string, between: string): string | undefined {
  return command.startsWith('tee') ? between.trim().split(/\s+/).at(-1) : undefined;
}

function isPlainFile(path: string): boolean {
  return /^[\w./'"~-]*\w\.\w{1,8}['"]?$/.test(path) && !path.startsWith('-');
}

function unquoted(path: string): string {
  return path.replace(/^['"]|['"]$/g, '');
}

/** `edit 12:15 … end_of_edit` changes the file that is open. */
function editsOfSweAgent(command: string, open: string, item: number): Edit[] {
  const edit = /^edit \d+:\d+\n([\s\S]*?)\nend_of_edit/m.exec(command);
  const added = edit?.[1];
  return added === undefined ? [] : [{ path: open, kind: 'changed', added, removed: '', item }];
}

/** The file that SWE-agent's editor has open after a call. */
function openedBy({ name, input }: Call): string | undefined {
  if (typeof input === 'string') return /^(?:open|create)\s+["']?([^\s"']+)/m.exec(input)?.[1];
  return (name === 'open' || name === 'create') && isJsonObject(input)
    ? pathField(input)
    : undefined;
}
