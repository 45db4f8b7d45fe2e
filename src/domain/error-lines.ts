import { withoutPaths } from './without-paths.ts';

const TELLS_ERROR =
  /error|exception|panic|fatal|fail|denied|not found|cannot|can['’]t|could ?n['o]t|could not|no such|does not exist|invalid|undefined|unexpected|refused|timed? ?out|abort|unknown|illegal|missing|reject|mismatch|not match|not defined|not recogni[sz]ed|not a (?:git repository|directory|valid)|not (?:supported|allowed|permitted|installed|available)|unrecogni[sz]ed|unresolved|unsupported|unreachable|unable|conflict|Fehler|erreur|错误|錯誤|失败|失敗|异常|エラー|오류|실패|ошибка|خطأ|فشل|introuvable|impossible de|nicht gefunden|kann nicht|konnte nicht|no se (?:puede|pudo|encontr|encuentra|reconoce)|não (?:foi possível|encontrad)|не (?:найден|удалось|удаётся|удается|распозна|существует)|невозможно|找不到|无法|無法|見つかりません|できません|찾을 수 없|할 수 없/i;
/** Counts of what did not happen. */
const NONE =
  /\b(?:0|no) (?:errors|failures|exceptions|failed|failing|conflicts|unexpected)\b|\b0 error\b|\b(?:errors?|failures?|failed|failing|unexpected|conflicts)[:=] ?0(?![\w.])/gi;
/** Who says a line, where the output of several is printed side by side: a container, or a task of a package. */
export const OF_CONTAINER = String.raw`[\w@./-]{1,80} {0,40}\|`;
export const OF_TASK = String.raw`[\w@./-]{1,80}[ :](?:test|build|lint|check|type-?check)(?::[\w-]{1,40})?:`;
/** A step of an image that is built, and the seconds that it has taken. */
const OF_STEP = String.raw`#\d{1,3} (?:\d{1,5}\.\d{1,3} )?`;
const SPEAKER = `(?:│ {0,4}|${OF_CONTAINER} ?|${OF_TASK} ?|${OF_STEP})`;
const OF_SPEAKER = new RegExp(`^${SPEAKER}`);
/** A place in a file or of one that stands above, as compilers and linters begin their lines. */
const PLACE = String.raw`(?:\S{1,200}?:)?\d{1,7}(?::\d{1,7}|,\d{1,7}\))(?::|\s|$)\s?|\S{1,200}\(\d{1,7},\d{1,7}\): `;
/** What a shell says that cannot run a line. */
const OF_SHELL = String.raw`(?:\(eval\)|-?(?:\/\S{1,40}\/)?(?:ba|da|z|k)?sh): ?(?:line )?\d{1,5}: `;
/** Beginnings by which tests, compilers and programs say that something went wrong. */
const BEGINS = new RegExp(
  String.raw`^(?:${SPEAKER} {0,8})?(?:${PLACE})?(?:\[?(?:[A-Z]{3,12} )?(?:error|ERROR|Error|fatal|FATAL|Fatal|panic|PANIC)\b(?!\])|FAIL(?:ED|URE)?\b|\[ERROR\] |--- FAIL|not ok\b|E {1,4}(?=\S)|[✗✘×✕❌]|● (?!Console\b)|npm (?:ERR!|error) |ERR_PNPM_[A-Z_]{2,60}\b|(?:[A-Za-z_][\w$]{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception)\b[^:]{0,40}:|(?:[A-Z][\w-]{1,20} ){1,2}error\b[^:]{0,40}: |[\w./+-]{1,60}: (?:fatal |internal )?(?:error|Error|ERROR): |thread '[^']{1,80}' (?:\(\d{1,12}\) )?panicked at |Caused by: |Exception in thread |Uncaught |Unhandled (?:exception|rejection|error)\b|[A-Z][a-z]{1,20}-[A-Z]\w{1,40} : |${OF_SHELL})`,
);
/** What a compiler says of a place: that it is an error goes without saying. */
const IN_PLACE = /^[^\s:]{1,200}:\d{1,7}:\d{1,7}: (?!warning\b|note\b|info\b)/;
/** Lines of single tests that have not failed. */
const OF_ONE_TEST =
  /^(?:=== (?:RUN|PAUSE|CONT|NAME)\b|--- (?:PASS|SKIP)\b|[✓✔√☑]|PASS\b|ok\b)|(?:\bPASSED|\bSKIPPED|\.\.\. ?(?:ok|ignored|skipped))(?: ?\[ {0,2}\d{1,3}%\])?$/;
/** Where something was called, whose output follows, what PowerShell adds, what Git advises: none says what went wrong. */
const AROUND =
  /^hint: |^\(use "git |^\+ (?:CategoryInfo|FullyQualifiedErrorId)\b|^= (?:note|help): |^(?:note|help): (?!unknown\b|cannot\b|no such\b|could not\b)|^(?:npm (?:ERR!|error) {1,8})?at (?:async |new )?(?:[^\s(]{1,200} )?(?:\[as [^\]]{1,80}\] )?\(?(?:file:\/\/|node:|[\w.@-]{0,60}[/\\]|[A-Za-z]:[/\\]|<anonymous>)|^(?:stdout|stderr) \| /;

/** Words with which programs say that something failed, and nothing of why. */
const ANNOUNCING =
  'errors?|err|fail(?:ed|ures?|ing)?|build|builds|compile[rd]?|compilation|compiling|command|tasks?|tests?|suites?|checks?|process|script|job|step|worker|exit|exited|exits|with|code|status|signal|an?|the|exception|to|in|is|was|has|have|had|been|and|occurred|completed|finished|encountered|reported|found|execution|run|running|npm|pnpm|yarn|lint|during|due|of|on|see|above|below|log|for|details|more|information|previous|total|not|successfully|null|rc|next|there|were|linker|ld|collect2|returned|\\d{1,9}m?s?';
const ANNOUNCEMENT = new RegExp(
  `^(?:[^\\p{L}\\p{N}]{0,12}(?:${ANNOUNCING})(?![\\p{L}\\p{N}])){1,24}[^\\p{L}\\p{N}]{0,12}$`,
  'iu',
);
/** The same in sentences of their own: of Cargo, Gradle, make and npm, and Go's of a package. */
const ANNOUNCES =
  /^(?:error: (?:could not compile|aborting due to|test failed)|> Task \S{1,200} FAILED$|Execution failed for task |make(?:\[\d{1,3}\])?: \*\*\* |npm (?:ERR!|error) (?:errno|command|path|code (?:ELIFECYCLE|\d))\b|ELIFECYCLE\b|ERR_PNPM_RECURSIVE_(?:[A-Z]{2,10}_){0,3}FAIL\b|FAIL\t\S{1,200}(?:\t[\d.]{1,12}m?s)?$|FAIL \S{1,200} [\d.]{1,12}m?s$)/;

/** Whether a line, without blanks around it, says that something went wrong. */
export function tellsError(line: string): boolean {
  if (isAside(line)) return false;
  return beginsAsError(line) || mentionsError(line);
}

/** Whether a line has a word for what went wrong, not only in the name of a file or to say that nothing did. */
export function mentionsError(line: string): boolean {
  return TELLS_ERROR.test(line) && TELLS_ERROR.test(withoutPaths(line).replace(NONE, ' '));
}

/** How lines of code end and begin that an output quotes. */
const LIKE_CODE = /[{;]$|^[)}\]]/;

/**
 * The lines that say best what went wrong, at most so many: those that begin as an error begins, then
 * those that mention one, those about a place in a file, those that say no more than that there was one,
 * and code in which it is named. What passes is logged with such words, too, and mostly before.
 */
export function errorLinesOf(lines: readonly string[], most: number): string[] {
  const distinct = [...new Set(lines)];
  const telling = distinct.filter(tellsError);
  const saying = telling.filter((line) => !announcesError(line));
  const begun = saying.filter(beginsAsError);
  const mentions = saying.filter((line) => !beginsAsError(line));
  const code = mentions.filter((line) => LIKE_CODE.test(line));
  const spoken = mentions.filter((line) => !LIKE_CODE.test(line));
  const placed = distinct.filter((line) => IN_PLACE.test(line) && !tellsError(line));
  const announcing = telling.filter(announcesError);
  return [...begun, ...spoken, ...placed, ...announcing, ...code].slice(0, most);
}

/** Whether a line says that something failed, and nothing of what or why. */
export function announcesError(spoken: string): boolean {
  const line = spoken.replace(OF_SPEAKER, '').trim();
  return ANNOUNCES.test(line) || (line.length <= 200 && ANNOUNCEMENT.test(line));
}

/** Whether it is of a test that has not failed, of a place in a stack, or of whose output follows. */
export function isAside(line: string): boolean {
  return OF_ONE_TEST.test(line) || AROUND.test(line);
}

/** Whether a line begins as tests, compilers and programs begin one about an error. */
export function beginsAsError(line: string): boolean {
  return BEGINS.test(line) || (IN_PLACE.test(line) && TELLS_ERROR.test(line));
}
