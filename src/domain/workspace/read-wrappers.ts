import { baseName } from '../names.ts';
import type { Numbering } from './numbered-lines.ts';

/** What a tool shows of one file, without what it puts around it. Null fields: it does not say. */
export type ShownFile = {
  text: string;
  path: string | null;
  first: number | null;
  total: number | null;
  /** How its lines are numbered, where that is not as with other tools. */
  numbering: Numbering | null;
};

/** VS Code, goose and Cursor name the file before they show it between fences. */
const VS_CODE =
  /^File: `?[^`\n]{1,4096}?`?\. Lines (\d{1,9}) to (\d{1,9}) \((\d{1,9}) lines total\): *\n/;
const GOOSE = /^### [^\n]{1,4096}\n(?=```)/;
const CURSOR =
  /^Contents of [^\n]{1,4096}?, (?:from line|lines) (\d{1,9})-\d{1,9} \(total (\d{1,9}) lines[^\n]*\n(?=```)/;
/** Antigravity says what it shows, and behind it whether that is all. */
const ANTIGRAVITY =
  /^File Path: `[^`\n]{1,4096}`\nTotal Lines: (\d{1,9})\n(?:Total Bytes: \d{1,15}\n)?Showing lines \d{1,9} to \d{1,9}\n[^\n]{0,200}<line_number>: <original_line>[^\n]{0,300}\n/;
const AFTER_ANTIGRAVITY = /\nThe above content (?:shows the entire|does NOT show)[^\n]{0,400}\n?$/;
/** Continue names it in a line of its own, and puts no fence around it. */
const CONTINUE = /^Content of [^\n]{1,4096}:\n/;
/** The line that VS Code puts above a text to name its file. */
const NAME_LINE = /^(?:\/\/|#|--|<!--|\/\*) filepath: [^\n]{1,4096}\n/;
const MARKDOWN = /\.(?:md|mdx|markdown|txt)$/i;
const MARKUP =
  /\.(?:\w{0,2}html?|xml|svg|vue|svelte|astro|xaml|plist|\w*proj|[jt]sx|mdx?|rss|xs[dl]t?|kml|gpx|ui|qrc|jsp|erb|hbs|php|ejs|twig|njk|liquid|txt)$/i;
const ROO_FILE = /<file><path>([^<\n]{1,4096})<\/path>\n/g;

/**
 * The file in what a tool has answered that reads one. Null where something is around it that is not
 * known: then it cannot be told what of it is the file.
 */
export function unwrapRead(text: string, path: string): ShownFile | null {
  const plain: ShownFile = { text, path: null, first: null, total: null, numbering: null };
  const antigravity = ANTIGRAVITY.exec(text);
  if (antigravity !== null) {
    const shown = text.slice(antigravity[0].length).replace(AFTER_ANTIGRAVITY, '');
    return { ...plain, text: shown, total: Number(antigravity[1]), numbering: 'spaced' };
  }
  const vsCode = VS_CODE.exec(text);
  const cursor = CURSOR.exec(text);
  const goose = GOOSE.exec(text);
  const head = vsCode ?? cursor ?? goose;
  const body = head === null ? text : text.slice(head[0].length);
  const fence = /^(`{3,})[^`\n]{0,100}\n/.exec(body);
  const inside = fence === null ? null : betweenFences(body, fence[0], fence[1] ?? '');
  if (inside !== null) {
    // A text in Markdown may begin and end with fences of its own.
    if (head === null && MARKDOWN.test(path)) return null;
    const first = Number(vsCode?.[1] ?? cursor?.[1] ?? Number.NaN);
    const total = Number(vsCode?.[3] ?? cursor?.[2] ?? Number.NaN);
    return {
      ...plain,
      text: inside.replace(NAME_LINE, ''),
      first: Number.isNaN(first) ? null : first,
      total: Number.isNaN(total) ? null : total,
      numbering: goose === null ? null : 'spaced',
    };
  }
  if (head !== null) return null;
  const named = CONTINUE.exec(text)?.[0];
  if (named?.endsWith(`${baseName(path)}:\n`)) return { ...plain, text: text.slice(named.length) };
  const cline = /^<file_content path="[^"\n]{1,4096}">\n/.exec(text)?.[0];
  if (cline !== undefined) {
    const end = text.lastIndexOf('\n</file_content>');
    return end < cline.length - 1 ? null : { ...plain, text: text.slice(cline.length, end) };
  }
  return isWrapped(text, path) ? null : plain;
}

function betweenFences(text: string, open: string, fence: string): string | null {
  const end = text.trimEnd();
  return end.endsWith(`\n${fence}`) ? text.slice(open.length, end.length - fence.length - 1) : null;
}

/** Whether a text stands in a tag, in a file that holds none, or all of its lines have numbers. */
function isWrapped(text: string, path: string): boolean {
  const tag = /^<([A-Za-z][\w-]{0,40})(?: [^>\n]{0,500})?>/.exec(text)?.[1];
  if (tag !== undefined && !/^(?:path|system-reminder)$/.test(tag) && !MARKUP.test(path)) {
    return text.trimEnd().endsWith(`</${tag}>`);
  }
  const [first = '', second = '', third = ''] = text.split('\n', 3);
  const numbered = [first, second, third].map(
    (line) => /^ {0,8}(\d{1,7}) ?[|:│] ?/.exec(line)?.[1],
  );
  return numbered.every(
    (number, at) => number !== undefined && Number(number) === Number(numbered[0]) + at,
  );
}

/** opencode names the file before it shows it, and since 1.2 puts the first line right behind the tag. */
const TAGGED = /^<path>[^\n]{1,4096}<\/path>\n<type>file<\/type>\n<content>/;
/** What it says below the lines; it counts no empty line behind the last line feed. */
const TAGGED_END =
  /\n\n\((?:End of file - total (\d{1,9}) lines\)|Showing lines \d{1,9}-\d{1,9} of (\d{1,9})\.[^\n]{0,100}|Output capped at [^\n]{0,200})$/;

/** The file in an answer of opencode that stands in tags; null for other answers. */
export function unwrapTagged(text: string): ShownFile | null {
  const head = TAGGED.exec(text)?.[0];
  if (head === undefined) return null;
  const close = text.lastIndexOf('\n</content>');
  if (close < head.length) return null;
  const shown = text.slice(head.length, close);
  const end = TAGGED_END.exec(shown.slice(-300));
  const counted = end?.[1] ?? end?.[2];
  const total = counted === undefined ? null : Number(counted) + 1;
  const lines = end === null ? shown : shown.slice(0, -end[0].length);
  const last = end?.[1] === undefined ? '' : `\n${total}: `;
  return { text: lines + last, path: null, first: null, total, numbering: 'spaced' };
}

/** The files in an answer of Roo Code's `read_file`, which may show several; null for other answers. */
export function filesOfRoo(text: string): ShownFile[] | null {
  if (!/^<files>\s/.test(text)) return null;
  const heads = [...text.matchAll(ROO_FILE)];
  return heads.flatMap(({ index, 0: head, 1: path = '' }, place): ShownFile[] => {
    const end = heads[place + 1]?.index ?? text.length;
    const part = text.slice(index + head.length, end);
    const open = /^<content lines="(\d{1,9})-(\d{1,9})">\n/.exec(part);
    const close = part.lastIndexOf('\n</content>');
    if (open === null || close < open[0].length - 1) return [];
    const isAll = !/<notice>|<line_range>|<list_code_definition_names>/.test(part.slice(close));
    const total = isAll && open[1] === '1' ? Number(open[2]) : null;
    const shown = part.slice(open[0].length, close);
    return [{ text: shown, path, first: null, total, numbering: 'barred' }];
  });
}
