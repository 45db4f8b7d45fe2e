import type { Substitution } from '../known-text.ts';
import type { Word } from './lex.ts';

/** Signs that mean something in a pattern, and those that do so in an extended one. */
const PATTERN_SIGNS = /[\\.*[\]^$]/;
const EXTENDED_SIGNS = /[\\.*[\]^$+?(){}|]/;
const TEXT_SIGNS = /[\\&\n]/;
const SCRIPT = /^s([/|#@,:!_])([^\n]{1,2000})$/;

/** The files that `sed -i` is given, and what it puts in place of what, where that is plain text. */
export function sedWork(args: readonly Word[]): {
  files: Word[];
  substitutions: Substitution[] | null;
} {
  const files: Word[] = [];
  const scripts: Word[] = [];
  let isOther = false;
  let signs = PATTERN_SIGNS;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? { text: '', isPlain: true };
    const { text } = arg;
    if (/^(?:-[nErsuz]*[ef]|--expression|--file)$/.test(text)) {
      scripts.push(args[at + 1] ?? arg);
      isOther ||= !/^(?:-e|--expression)$/.test(text);
      at++;
    } else if (text.startsWith('--expression=')) {
      scripts.push({ ...arg, text: text.slice(text.indexOf('=') + 1) });
    } else if (/^(?:-[ef]|--file=)/.test(text)) {
      scripts.push(arg);
      isOther = true;
    } else if (/^(?:-E|-r|--regexp-extended)$/.test(text)) signs = EXTENDED_SIGNS;
    // BSD's `-i ''` keeps no copy.
    else if (text === '') continue;
    else if (text.startsWith('-')) isOther ||= !/^(?:-i|--in-place)/.test(text);
    else if (scripts.length > 0) files.push(arg);
    else scripts.push(arg);
  }
  const found = isOther ? [] : scripts.map((script) => substitutionOf(script, signs));
  const known = found.filter((one) => one !== null);
  const isAll = known.length === scripts.length && known.length > 0;
  return { files, substitutions: isAll ? known : null };
}

function substitutionOf({ text, isPlain }: Word, signs: RegExp): Substitution | null {
  const [, mark = '', rest = ''] = isPlain ? (SCRIPT.exec(text) ?? []) : [];
  const [from = '', to, flags, ...others] = mark === '' ? [] : rest.split(mark);
  if (from === '' || to === undefined || flags === undefined || others.length > 0) return null;
  if (signs.test(from) || TEXT_SIGNS.test(to) || !/^g?$/.test(flags)) return null;
  return { from, to, isEach: flags === 'g' };
}
