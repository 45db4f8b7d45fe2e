import { NUMBERED } from './kind.ts';
import { type Asking, counted, type Outline, plainOutline } from './outline.ts';
import { textOf } from './source.ts';

/** The line that begins a definition, in the languages that agents write. */
export const SIGNATURE =
  /^[ \t]{0,12}(?:(?:export|default|pub(?:\([a-z]{1,20}\))?|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|unsafe|open|sealed|data|suspend|declare|extern|const) {1,4}){0,6}(?:def|class|function\*?|func|fn|interface|type|struct|enum|trait|impl|module|namespace|object|protocol|extension|record|mod|union|macro_rules!) {0,4}[\w$(*<&"]/;
/** A constant that is exported, or a function that is kept in one. */
const KEPT =
  /^(?:export {1,4}(?:default {1,4})?(?:const|let|var) |(?:const|let|var) [\w$]{1,80} = (?:async )?(?:function\b|\([^()]{0,200}\) {0,2}(?::.{1,80})?=>))/;
/** A method in a class of a language with braces. */
const METHOD =
  /^(?: {2}| {4}|\t)(?:(?:public|private|protected|static|async|override|get|set|readonly|final) ){0,4}#?[\w$]{1,80}(?:<[^<>]{0,80}>)?\([^;{}]{0,200}\)? {0,2}(?::[^;{}]{1,100})?\{?$/;
const NO_METHOD =
  /^\s{0,8}(?:if|for|while|switch|catch|return|else|do|try|await|throw|new|super)\b/;

/** Code: the lines that begin a definition, the outer ones first. */
export function codeOutline({ source, start }: Asking): Outline {
  const found: { place: number; depth: number }[] = [];
  for (const [place, unit] of source.units.entries()) {
    if (place < start || unit.isPart) continue;
    const text = textOf(source, unit).replace(NUMBERED, '');
    const isMethod = METHOD.test(text) && !NO_METHOD.test(text);
    if (!isMethod && !SIGNATURE.test(text) && !KEPT.test(text)) continue;
    found.push({ place, depth: text.length - text.trimStart().length });
  }
  const outline = plainOutline(`code, ${counted(found.length, 'definition')}`);
  outline.first = found.sort((a, b) => a.depth - b.depth).map(({ place }) => place);
  return outline;
}
