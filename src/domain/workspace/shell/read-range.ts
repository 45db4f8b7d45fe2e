import { baseName } from '../../names.ts';
import type { Command } from './lex.ts';

/**
 * The lines of a file that a command prints. `last` null: to its end. `tail`: only the last so many.
 * `isNumbered`: each with its number in front.
 */
export type Range = {
  path: string;
  first: number;
  last: number | null;
  tail: number | null;
  isNumbered: boolean;
};

/** The files that the first command of a pipeline prints, whole or in part; null for other commands. */
export function rangesOf({ words, redirects, heredoc }: Command): Range[] | null {
  if (heredoc !== null || words.some(({ isPlain }) => !isPlain)) return null;
  const [name = '', ...rest] = words.map(({ text }) => text);
  const input = redirects.find(({ operator }) => operator === '<');
  const given = input?.target.isPlain ? [input.target.text] : [];
  const whole = (path: string, isNumbered = false): Range => {
    return { path, first: 1, last: null, tail: null, isNumbered };
  };
  switch (baseName(name)) {
    case 'cat':
    case 'bat': {
      const { options, files } = split(rest, []);
      if (options.some((option) => option !== '-n' && option !== '--')) return null;
      const paths = files.length > 0 ? files : given;
      return paths.map((path) => whole(path, options.includes('-n')));
    }
    case 'nl': {
      const { options, files } = split(rest, []);
      const isAll = options.includes('-ba') && options.length === 1;
      return isAll && files.length === 1 ? files.map((path) => whole(path, true)) : null;
    }
    case 'sed': {
      const window = sedWindow(rest);
      const path = window?.files[0] ?? given[0];
      if (window === null || path === undefined || window.files.length > 1) return null;
      return [{ ...whole(path), first: window.first, last: window.last }];
    }
    case 'head':
    case 'tail': {
      const window = endWindow(baseName(name), rest);
      const path = window?.files[0] ?? given[0];
      if (window === null || path === undefined || window.files.length > 1) return null;
      return [{ ...whole(path), ...window.lines }];
    }
    case 'awk':
      return awkRange(rest);
    default:
      return null;
  }
}

/** What a later command of the pipeline leaves of a range; null when it does something else to it. */
export function narrowed(range: Range, { words, redirects, heredoc }: Command): Range | null {
  if (heredoc !== null || redirects.length > 0 || range.tail !== null) return null;
  const [name = '', ...rest] = words.map(({ text }) => text);
  switch (baseName(name)) {
    case 'cat':
      return rest.length === 0 ? range : null;
    case 'nl':
      return rest.join(' ') === '-ba' && range.first === 1 && !range.isNumbered
        ? { ...range, isNumbered: true }
        : null;
    case 'sed': {
      const window = sedWindow(rest);
      return window === null || window.files.length > 0 ? null : within(range, window);
    }
    case 'head':
    case 'tail': {
      const window = endWindow(baseName(name), rest);
      if (window === null || window.files.length > 0) return null;
      return window.lines.tail !== null && range.last === null && range.first === 1
        ? { ...range, tail: window.lines.tail }
        : window.lines.tail === null
          ? within(range, window.lines)
          : null;
    }
    default:
      return null;
  }
}

function within(range: Range, window: { first: number; last: number | null }): Range {
  const first = range.first + window.first - 1;
  const end = window.last === null ? null : range.first + window.last - 1;
  const last = end === null ? range.last : range.last === null ? end : Math.min(end, range.last);
  return { ...range, first, last };
}

function split(args: readonly string[], withValue: readonly string[]) {
  const options: string[] = [];
  const files: string[] = [];
  const values: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (!arg.startsWith('-') || arg === '-') files.push(arg);
    else if (withValue.includes(arg)) values.push(args[++i] ?? '');
    else options.push(arg);
  }
  return { options, files, values };
}

function sedWindow(args: readonly string[]) {
  const { options, files, values } = split(args, ['-e', '--expression']);
  if (!options.every((option) => option === '-n' || option === '--')) return null;
  if (!options.includes('-n')) return null;
  const script = values.length === 0 ? files.shift() : values.length === 1 ? values[0] : undefined;
  const match = /^\s*(\d{1,9})(?:\s*,\s*(\d{1,9}|\$))?\s*p\s*(?:;\s*)?$/.exec(script ?? '');
  if (match === null) return null;
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : match[2] === '$' ? null : Number(match[2]);
  if (first < 1 || (last !== null && last < first)) return null;
  return { first, last, files };
}

function endWindow(name: string, args: readonly string[]) {
  const { options, files, values } = split(args, ['-n', '--lines']);
  const [option = ''] = options;
  if (options.length > 1 || values.length > 1) return null;
  const written =
    values[0] ?? /^(?:-n|--lines=|-)(\+?\d{1,9})$/.exec(option)?.[1] ?? (option === '' ? '10' : '');
  if (!/^\+?\d{1,9}$/.test(written)) return null;
  const count = Number(written);
  if (name === 'head') {
    return written.startsWith('+') ? null : { lines: { first: 1, last: count, tail: null }, files };
  }
  const lines = written.startsWith('+')
    ? { first: Math.max(1, count), last: null, tail: null }
    : { first: 1, last: null, tail: count };
  return { lines, files };
}

/** `awk 'NR>=a && NR<=b' file`, with or without the number printed first. */
function awkRange([program = '', path, ...others]: string[]): Range[] | null {
  const match =
    /^\s*NR\s*>=?\s*(\d{1,9})\s*&&\s*NR\s*<=\s*(\d{1,9})(?:\s*(\{\s*printf\s+"%\d{0,2}d\\t%s\\n"\s*,\s*NR\s*,\s*\$0\s*\}|\{\s*print\s*\}))?\s*$/.exec(
      program,
    );
  if (match === null || path === undefined || others.length > 0) return null;
  const isOpen = /NR\s*>\s*\d/.test(program);
  const first = Number(match[1]) + (isOpen ? 1 : 0);
  const isNumbered = match[3]?.includes('printf') ?? false;
  return [{ path, first, last: Number(match[2]), tail: null, isNumbered }];
}
