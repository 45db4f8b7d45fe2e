import type { FileAction } from './action.ts';
import type { KnownText } from './known-text.ts';

/** Characters of a program that are looked at. */
const LONGEST = 50_000;

/** The start of a program that is known in whole or in part. */
export function programOf(blocks: KnownText['blocks']): string {
  let program = '';
  for (const { text } of blocks) {
    program += `${text.slice(0, LONGEST - program.length)}\n`;
    if (program.length >= LONGEST) break;
  }
  return program;
}

/** Whether a program has something in it that changes files. */
export function mayWrite(program: string): boolean {
  return /write|replace|\bopen\s*\(|unlink|rename|fs\.|\bsed -i|>/i.test(program.slice(0, LONGEST));
}

/** Whether a program changes files that it finds by itself, or lets other programs do it. */
function mayWriteAnywhere(program: string): boolean {
  const text = program.slice(0, LONGEST);
  const finds =
    /\b(?:r?glob|iglob|globSync|walk|iterdir|listdir|scandir|readdir\w{0,10}|subprocess|child_process|execSync|spawnSync|system|ls-files|argv)\b/;
  const writes =
    /write_text|write_bytes|writeFile|\.write\w{0,10}\(|\bopen\s*\([^)\n]{1,200},\s{0,9}(?:mode=)?['"][rbt]{0,2}[wax+]|unlink|rename|rmtree|shutil|fileinput|inplace|sed -i|--write|--fix/;
  return finds.test(text) && writes.test(text);
}

/** What running the text of a file may change. */
export type ProgramEffect = 'nothing' | 'anything' | { names: string };

/** What a program may change, as far as its words tell. */
export function effectOfProgram(program: string): ProgramEffect {
  if (mayWriteAnywhere(program)) return 'anything';
  return mayWrite(program) ? { names: program } : 'nothing';
}

/** What a program that stands in a call may have changed. `by`: what ran it. */
export function actionsOfProgram(program: string, by: string): FileAction[] {
  const effect = effectOfProgram(program);
  if (effect === 'nothing') return [];
  if (effect === 'anything') return [{ kind: 'all_changed', by }];
  return [{ kind: 'named_changed', script: effect.names.slice(0, LONGEST), by }];
}
