import type { Command } from './lex.ts';

/** What `echo`, `printf` and a bare `cat` print, when the script says it; null when it does not. */
export function saidBy({ words, heredoc }: Command): string | null {
  const [name = '', ...args] = words.map(({ text }) => text);
  if (words.some(({ isPlain }) => !isPlain)) return null;
  if (name === 'cat' && args.length === 0 && heredoc?.isPlain) return heredoc.text;
  if (name === 'echo') return echoed(args);
  return name === 'printf' ? printed(args) : null;
}

/** Shells differ in what they make of a backslash, and of options other than `-n`. */
function echoed(args: readonly string[]): string | null {
  const isEndless = args[0] === '-n';
  const said = (isEndless ? args.slice(1) : args).join(' ');
  if (said.includes('\\') || /^-[neE]+(?: |$)/.test(said)) return null;
  return isEndless ? said : `${said}\n`;
}

/** More characters of formats that `printf` repeats, in one command, than anyone writes to be read. */
const MOST_REPEATED = 10_000;

/** `printf` with `%s` only, which it repeats until all that it is given is printed. */
function printed([format, ...args]: readonly string[]): string | null {
  if (format === undefined || format.startsWith('-')) return null;
  const texts = unescaped(format)?.split('%s');
  if (texts === undefined || texts.some((text) => text.includes('%'))) return null;
  const places = texts.length - 1;
  if (places === 0) return args.length === 0 ? (texts[0] ?? '') : null;
  const times = Math.ceil(args.length / places);
  if (times > 1 && times * format.length > MOST_REPEATED) return null;
  const said: string[] = [];
  for (let at = 0; at === 0 || at < args.length; at += places) {
    said.push(texts[0] ?? '');
    for (let n = 0; n < places; n++) said.push(args[at + n] ?? '', texts[n + 1] ?? '');
  }
  return said.join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  '"': '"',
  "'": "'",
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** A text with the backslashes that `printf` knows put in their meaning; null with others. */
function unescaped(text: string): string | null {
  let isKnown = true;
  const result = text.replaceAll(/\\(x[\da-fA-F]{1,2}|[0-7]{1,3}|[\s\S]|$)/g, (_, code: string) => {
    if (/^x/.test(code)) return ascii(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return ascii(Number.parseInt(code, 8));
    const character = Object.hasOwn(ESCAPES, code) ? ESCAPES[code] : undefined;
    isKnown &&= character !== undefined;
    return character ?? '';
  });
  return isKnown && !result.includes('\ufffd') ? result : null;
}

/** A byte above 127 is a part of a character only. */
function ascii(code: number): string {
  return code < 128 ? String.fromCharCode(code) : '\ufffd';
}
