import type { ToolCall } from '../items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../json.ts';
import type { FileAction } from './action.ts';
import { clineResults } from './cline-results.ts';
import { type KnownText, lastLine, lineCount, wholeText } from './known-text.ts';
import { type Numbering, numberedBlocks } from './numbered-lines.ts';
import { filesOfRoo, type ShownFile, unwrapRead, unwrapTagged } from './read-wrappers.ts';
import { type Answer, beforeCut } from './result-text.ts';
import { firstNumber, linesWanted, pathOf } from './tool-input.ts';

/** Lines that a read without limits gives at most, in the tools that do not say that there are more. */
const MOST_LINES = 2_000;

/** What Claude Code shows in place of a file's text, also since 2.1.200: it has not changed, or is no text. */
const NO_TEXT =
  /^(?:<system-reminder>|(?:Wasted call — f|F)ile unchanged since|PDF file read|\[?Image)/;

type Wanted = { first: number; most: number | null };

/**
 * What the result of a tool that reads one file shows of it; null when it shows no text of it, as
 * with pictures, notebooks, and notes that the file has not changed.
 */
export function readText(
  call: ToolCall,
  input: JsonObject,
  path: string,
  given: Answer,
): KnownText | null {
  const { text } = given;
  if (text === '' || given.isCleared) return null;
  if (/^<system-reminder>[^<]{0,200}contents? (?:is|are) empty/i.test(text)) return wholeText('');
  if (NO_TEXT.test(text)) return null;
  // What stands for lines that were left out is no content.
  if (ELIDED.test(text.slice(-600))) return null;
  const tagged = unwrapTagged(text);
  if (tagged !== null) return shownText(call, input, tagged, given);
  const numbered = numberedPart(text);
  for (const numbering of numberingsOf(call)) {
    const known = numberedText(numbered, numbering, input, given);
    if (known !== null) return known;
  }
  // Tools with these names number the lines of a file; what else they show is a folder. Newer Copilot CLIs
  // number none. goose names the file first, and numbers its lines in its own way.
  const isEditor = stringField(input, 'command') !== undefined;
  const mayBeFolder = isEditor || (call.name === 'view' && !EXTENSION.test(path));
  if (mayBeFolder && !text.startsWith('### ')) return null;
  const shown = text.startsWith('<path>') ? null : unwrapRead(text, path);
  return shown === null ? null : shownText(call, input, shown, given);
}

/** How Anthropic's editors and its memory tool begin where they are asked to show a folder. */
const FOLDER = /^Here're the files and directories up to \d{1,2} levels deep in /;

/** Whether a tool that shows files has shown what is in a folder. */
export function showsFolder(text: string): boolean {
  return FOLDER.test(text);
}

const EXTENSION = /[^/\\]\.[A-Za-z]\w{0,9}$/;

/** The text of a file that was taken out of what a tool has put around it. */
function shownText(
  call: ToolCall,
  input: JsonObject,
  { text, first, total, numbering }: ShownFile,
  given: Answer,
): KnownText | null {
  const numbered = numbering === null ? null : numberedText(text, numbering, input, given);
  if (numbered !== null) return { ...numbered, total: total ?? numbered.total };
  if (numbering === 'barred' || text === '') return null;
  if (first !== null) return { blocks: [{ first, text }], total };
  return plainText(call, text, wantedOf(input), given);
}

function numberedText(
  text: string,
  numbering: Numbering,
  input: JsonObject,
  given: Answer,
): KnownText | null {
  const blocks = numberedBlocks(text, numbering);
  const last = blocks?.at(-1);
  if (blocks === null || last === undefined) return null;
  const end = lastLine(last);
  const isEnd = !given.isShortened && endsBefore(wantedOf(input), end, blocks.length);
  return { blocks, total: totalIn(given.text) ?? (isEnd ? end : null) };
}

function wantedOf(input: JsonObject): Wanted {
  const range = Array.isArray(input.view_range) ? input.view_range : [];
  const [from, to] = range;
  if (typeof from === 'number') {
    const isOpen = typeof to !== 'number' || to < from;
    return { first: Math.max(1, from), most: isOpen ? null : to - from + 1 };
  }
  const start = firstNumber(input, [
    'start_line',
    'startLine',
    'start_line_one_indexed',
    'StartLine',
  ]);
  const end = firstNumber(input, [
    'end_line',
    'endLine',
    'end_line_one_indexed_inclusive',
    'EndLine',
  ]);
  const named = linesWanted(pathOf(input) ?? '');
  if (named !== undefined && start === undefined) {
    const most = named.end === undefined ? null : named.end - named.start + 1;
    return { first: Math.max(1, named.start), most };
  }
  const first = start ?? firstNumber(input, ['offset']) ?? 1;
  const most = firstNumber(input, ['limit']) ?? (end === undefined ? null : end - first + 1);
  return { first: Math.max(1, first), most };
}

function endsBefore({ first, most }: Wanted, end: number, blocks: number): boolean {
  return blocks === 1 && end - first + 1 < (most ?? MOST_LINES);
}

function numberingsOf(call: ToolCall): Numbering[] {
  switch (call.name) {
    case 'Read':
      return ['arrow', 'tab', 'pipe'];
    case 'view':
      return ['dot', 'padded'];
    default:
      return ['arrow', 'padded', 'bar', 'pipe', 'lettered', 'hashed'];
  }
}

/** What Mastra says above a file. */
const HEADING_OF_MASTRA =
  /^(?! {0,8}\d{1,9}[→|:\t])[^\n]{1,4200} \((?:lines \d{1,9}-\d{1,9} of \d{1,9}, )?\d{1,12} bytes\)$/;

/** SWE-agent, Anthropic's editor and Mastra say first what they show; opencode puts it into a tag. */
function numberedPart(text: string): string {
  const first = text.slice(0, Math.max(0, text.indexOf('\n')));
  // Most files have another first line, which may be long.
  if (first.endsWith(' bytes)') && HEADING_OF_MASTRA.test(first)) {
    return text.slice(first.length + 1);
  }
  const said = /^(?:Here's the (?:result of running|content of)[^\n]{0,4200}:|<file>|<content>)\n/;
  return text.replace(said, '');
}

function totalIn(text: string): number | null {
  const end = text.slice(-200);
  const total =
    /\(End of file - total (\d{1,9}) lines\)/.exec(end)?.[1] ??
    /\n\n\[Showing lines \d{1,9}-\d{1,9} of (\d{1,9})\. Use :\d{1,9} to continue\]\s*$/.exec(
      end,
    )?.[1];
  return total === undefined ? null : Number(total);
}

const ELIDED = /\n\n\[\d{1,9} lines across \d{1,9} elided regions?; read /;
/** The notes of pi and Gemini CLI about a part of a file. */
const PI_NOTE =
  /\n\n\[(?:(\d{1,9}) more lines? in file|Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9}))[^\]\n]{0,200}\]\s*$/;
const GEMINI_NOTE =
  /^(?:\[File content truncated: showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9})[^\]]{0,200}\]\n|IMPORTANT: The file content has been truncated\.[\s\S]{0,60}?Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9})[\s\S]{0,400}?--- FILE CONTENT \(truncated\) ---\n)/;

/** What the Copilot CLI says below a part: the line before it is cut as well. */
const COPILOT_NOTE =
  /\n[^\n]*\n\n(\[Output truncated\. Use view_range=\[\d{1,9}, \.\.\.\] to continue reading\.[^\]\n]{0,300}\])$/;

/** A text without numbers: whole unless it was asked for in part, or a note says that there is more. */
function plainText(call: ToolCall, text: string, wanted: Wanted, answer: Answer): KnownText | null {
  const gemini = GEMINI_NOTE.exec(text);
  if (gemini !== null) {
    const first = Number(gemini[1] ?? gemini[4]);
    return { blocks: [{ first, text: text.slice(gemini[0].length) }], total: null };
  }
  const note = PI_NOTE.exec(text.slice(-600));
  if (note !== null) {
    const shown = text.slice(0, text.length - note[0].length);
    const first = note[2] === undefined ? wanted.first : Number(note[2]);
    return shown === '' ? null : { blocks: [{ first, text: shown }], total: null };
  }
  if (answer.isShortened) {
    const shown = beforeCut(text.replace(COPILOT_NOTE, '\n$1'));
    if (shown === '') return null;
    return { blocks: [{ first: wanted.first, text: shown.replace(/\n$/, '') }], total: null };
  }
  // Gemini counts from 0, so that the first line of a part is not certain there.
  if (wanted.first === 1 && wanted.most === null) return wholeText(text);
  if (call.name === 'read_file' && wanted.first > 1) return null;
  const isEnd = wanted.most === null || lineCount(text) < wanted.most;
  const block = { first: wanted.first, text };
  return { blocks: [block], total: isEnd ? lastLine(block) : null };
}

/** The files in an answer of Roo Code's `read_file`; `path`: the one that it was asked for alone. */
export function filesInTags(
  call: ToolCall,
  input: JsonObject,
  path: string | undefined,
  answer: Answer,
): FileAction[] | null {
  const files = filesOfRoo(answer.text);
  return (
    files?.map((file) => ({
      kind: 'seen',
      path: (files.length === 1 ? path : undefined) ?? file.path ?? '',
      text: shownText(call, input, file, answer),
    })) ?? null
  );
}

/** What Cline says below a part of a file; without a number where it has not counted all lines. */
const CLINE_NOTE =
  /\n\n\[Showing lines \d{1,9}-\d{1,9} of (?:(\d{1,9})|\d{1,9}\+ lines)\. Use start_line\/end_line [^\]\n]{1,100}\]$/;
/** Where it has cut a line off: that is nothing that the file holds. */
const CLINE_CUT = / \[line truncated\](?:\n|$)/;

/** The files in an answer of Cline's `read_files`, each as it was asked for; null for other answers. */
export function filesOfCline(
  call: ToolCall,
  input: JsonObject,
  answer: Answer,
): FileAction[] | null {
  const asked = Array.isArray(input.files) ? input.files : [];
  const results = asked.length === 0 ? null : clineResults(answer.text);
  return (
    results?.flatMap(({ result, isDone }, place): FileAction[] => {
      const file = asked[place];
      const path = isJsonObject(file) ? pathOf(file) : undefined;
      if (!isDone || !isJsonObject(file) || path === undefined) return [];
      if (CLINE_CUT.test(result)) return [{ kind: 'seen', path, text: null }];
      const part = CLINE_NOTE.exec(result);
      const total = part?.[1] === undefined ? null : Number(part[1]);
      const shown: ShownFile = { text: result, path, first: null, total, numbering: 'barred' };
      const given = part === null ? answer : { ...answer, isShortened: true };
      return [{ kind: 'seen', path, text: shownText(call, file, shown, given) }];
    }) ?? null
  );
}

/** The files in an answer of Gemini CLI's `read_many_files`. */
export function manyFiles(text: string): FileAction[] {
  const heads = [...text.matchAll(/^--- (.{1,4096}?) ---$/gm)];
  return heads.flatMap(({ index, 0: head, 1: path = '' }, place): FileAction[] => {
    if (path === 'End of content') return [];
    const end = heads[place + 1]?.index ?? text.length;
    const content = text
      .slice(index + head.length, end)
      .replace(/^\n\n/, '')
      .replace(/\n\n$/, '');
    if (content === '' || /^\[WARNING: This file was truncated/.test(content)) return [];
    return [{ kind: 'seen', path, text: wholeText(content) }];
  });
}
