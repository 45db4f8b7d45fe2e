import type { ToolCall } from '../../items/item.ts';
import { isJsonObject, type Json, stringField } from '../../json.ts';
import { baseName, extractNames, isFileName } from '../names.ts';

export type FileUse = 'read' | 'edited' | 'written' | 'deleted' | 'named in commands';
export type FileMention = { path: string; use: FileUse };

/** What happened to one file over the covered part. */
export type FileFact = { path: string; uses: Map<FileUse, number>; last: number };

const PATH_KEYS = [
  'path',
  'file_path',
  'filePath',
  'filename',
  'file',
  'absolute_path',
  'target_file',
  'notebook_path',
];
const COMMAND_KEYS = ['command', 'cmd', 'script'];
const PATCH_KEYS = ['input', 'patch', 'command', 'cmd'];
/** Characters of one shell command that are searched for files. */
const MAX_COMMAND = 4_000;
/** Files with one base name that are compared with each other. */
const MAX_NAMESAKES = 50;

/** The files that a tool call touches: from its path fields, a patch, or a shell command. */
export function filesOfCall(call: ToolCall): FileMention[] {
  const patch = patchOf(call.input);
  if (patch !== undefined) return filesOfPatch(patch);
  if (!isJsonObject(call.input)) return [];
  for (const key of PATH_KEYS) {
    const path = stringField(call.input, key);
    if (path === undefined || !/^\P{Cc}{1,500}$/u.test(path)) continue;
    const use = useOf(call.name, stringField(call.input, 'command') ?? '');
    return use === null && !isFileName(path) ? [] : [{ path, use: use ?? 'read' }];
  }
  const command = commandOf(call.input);
  return command === undefined ? [] : filesOfCommand(command);
}

/** The command line of a shell call, an argument list joined; undefined for other calls. */
export function commandOf(input: Json): string | undefined {
  if (!isJsonObject(input)) return undefined;
  for (const key of COMMAND_KEYS) {
    const value = input[key];
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return value.filter((part) => typeof part === 'string').join(' ');
  }
  return undefined;
}

/** The files of the covered part, one entry for a file however its path was written. */
export class FileTable {
  private readonly byBase = new Map<string, FileFact[]>();

  add(mention: FileMention, index: number, times = 1): void {
    const fact = this.factOf(mention.path);
    fact.uses.set(mention.use, (fact.uses.get(mention.use) ?? 0) + times);
    fact.last = Math.max(fact.last, index);
  }

  /** A file that an earlier summary names without saying what happened to it. */
  note(path: string): void {
    this.factOf(path);
  }

  private factOf(written: string): FileFact {
    const path = written.startsWith('./') ? written.slice(2) : written;
    const namesakes = this.byBase.get(baseName(path)) ?? [];
    let fact = namesakes.slice(-MAX_NAMESAKES).find((other) => isSameFile(other.path, path));
    if (fact === undefined) {
      fact = { path, uses: new Map(), last: -1 };
      namesakes.push(fact);
      this.byBase.set(baseName(path), namesakes);
    }
    if (path.length > fact.path.length) fact.path = path;
    return fact;
  }

  /** Changed files first, then by the last use, newest first. */
  ranked(): FileFact[] {
    return [...this.byBase.values()]
      .flat()
      .sort((a, b) => Number(isChanged(b)) - Number(isChanged(a)) || b.last - a.last);
  }
}

function isChanged(fact: FileFact): boolean {
  return fact.uses.has('edited') || fact.uses.has('written') || fact.uses.has('deleted');
}

/** The folder that most absolute paths share, so that it need be written once only; else ''. */
export function commonFolder(paths: readonly string[]): string {
  const absolute = paths.filter((path) => path.startsWith('/'));
  const first = absolute[0];
  if (first === undefined || absolute.length < 3) return '';
  const counts = new Map<string, number>();
  for (const path of absolute) {
    for (let i = path.indexOf('/', 1); i > 0; i = path.indexOf('/', i + 1)) {
      counts.set(path.slice(0, i + 1), (counts.get(path.slice(0, i + 1)) ?? 0) + 1);
    }
  }
  let best = '';
  for (const [folder, times] of counts) {
    if (times >= absolute.length * 0.6 && folder.length > best.length) best = folder;
  }
  return best;
}

function isSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

/** What a tool with a path field does, told from its name; null when the name does not say. */
function useOf(tool: string, command: string): FileUse | null {
  const words = `${tool} ${command}`.toLowerCase();
  if (/\bview\b/.test(command)) return 'read';
  if (/write|create|save/.test(words)) return 'written';
  if (/edit|replace|patch|insert|update|modify/.test(words)) return 'edited';
  if (/delete|remove/.test(words)) return 'deleted';
  return /read|view|open|cat|fetch/.test(words) ? 'read' : null;
}

function patchOf(input: Json): string | undefined {
  if (typeof input === 'string') return isPatch(input) ? input : undefined;
  if (!isJsonObject(input)) return undefined;
  for (const key of PATCH_KEYS) {
    const value = input[key];
    const text = Array.isArray(value) ? value.find((part) => isPatch(part)) : value;
    if (isPatch(text)) return text;
  }
  return undefined;
}

function isPatch(value: unknown): value is string {
  return typeof value === 'string' && value.includes('*** Begin Patch');
}

const PATCH_USES: Record<string, FileUse> = { Add: 'written', Update: 'edited', Delete: 'deleted' };

function filesOfPatch(patch: string): FileMention[] {
  const mentions: FileMention[] = [];
  for (const match of patch.matchAll(/^\*\*\* (Add|Update|Delete) File: ([^\n]{1,500})$/gm)) {
    const use = PATCH_USES[match[1] ?? ''];
    if (use !== undefined) mentions.push({ path: (match[2] ?? '').trim(), use });
  }
  return mentions;
}

function filesOfCommand(command: string): FileMention[] {
  const mentions: FileMention[] = [];
  for (const step of command.slice(0, MAX_COMMAND).split(/&&|\|\||[;|\n]/)) {
    const use = useOfStep(step);
    for (const path of extractNames(step)) {
      if (!isFileName(path) || path.startsWith('/dev/') || isUrl(step, path)) continue;
      mentions.push({ path, use: isRedirectedTo(step, path) ? 'written' : use });
    }
  }
  return mentions;
}

function useOfStep(step: string): FileUse {
  const words = step.trim().split(/\s+/, 3);
  if (words[0] === 'sed' && words[1]?.startsWith('-i')) return 'edited';
  if (/^(?:cat|sed|head|tail|less|nl|bat)$/.test(words[0] ?? '')) return 'read';
  if (words[0] === 'tee' || words[0] === 'touch') return 'written';
  return words[0] === 'rm' ? 'deleted' : 'named in commands';
}

function isRedirectedTo(step: string, path: string): boolean {
  const at = step.indexOf(path);
  return /(?:^|[^0-9&])>>?\s{0,3}["']?$/.test(step.slice(Math.max(0, at - 8), at));
}

function isUrl(step: string, path: string): boolean {
  const at = step.indexOf(path);
  return step.slice(Math.max(0, at - 3), at) === '://';
}
