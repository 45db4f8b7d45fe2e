import { withoutPaths } from './without-paths.ts';

const TELLS_ERROR =
  /error|exception|panic|fatal|fail|denied|not found|cannot|can['’]t|could ?n['o]t|could not|no such|does not exist|invalid|undefined|unexpected|refused|timed? ?out|abort|unknown|illegal|missing|reject|mismatch|not match|not defined|Fehler|erreur|错误|錯誤|失败|失敗|异常|エラー|오류|실패|ошибка|خطأ|فشل/i;
/** A place in a file or of one that stands above, as compilers and linters begin their lines. */
const PLACE = String.raw`(?:\S{1,200}?:)?\d{1,7}(?::\d{1,7}|,\d{1,7}\))(?::|\s|$)\s?|\S{1,200}\(\d{1,7},\d{1,7}\): `;
/** Beginnings by which tests, compilers and programs say that something went wrong. */
const BEGINS = new RegExp(
  String.raw`^(?:${PLACE})?(?:\[?(?:[A-Z]{3,12} )?(?:error|ERROR|Error|fatal|FATAL|Fatal|panic|PANIC)\b(?!\])|FAIL(?:ED|URE)?\b|\[ERROR\] |--- FAIL|not ok\b|E {1,4}(?=\S)|[✗✘×✕❌]|● (?!Console\b)|npm ERR!|[A-Z]\w{0,60}(?:Error|Exception)\b[^:]{0,40}:)`,
);
/** What a compiler says of a place: that it is an error goes without saying. */
const IN_PLACE = /^[^\s:]{1,200}:\d{1,7}:\d{1,7}: (?!warning\b|note\b|info\b)/;
/** Lines of single tests that have not failed. */
const OF_ONE_TEST =
  /^(?:=== (?:RUN|PAUSE|CONT|NAME)\b|--- (?:PASS|SKIP)\b|[✓✔√☑]|PASS\b|ok\b)|(?:\bPASSED|\bSKIPPED|\.\.\. ?(?:ok|ignored|skipped))(?: ?\[ {0,2}\d{1,3}%\])?$/;
/** Where something was called, and whose output follows: neither says what went wrong. */
const AROUND =
  /^at (?:async |new )?(?:[^\s(]{1,200} )?(?:\[as [^\]]{1,80}\] )?\(?(?:file:\/\/|node:|[\w.@-]{0,60}[/\\]|[A-Za-z]:[/\\]|<anonymous>)|^(?:stdout|stderr) \| /;

/** Whether a line, without blanks around it, says that something went wrong. */
export function tellsError(line: string): boolean {
  if (isAside(line)) return false;
  return beginsAsError(line) || (TELLS_ERROR.test(line) && TELLS_ERROR.test(withoutPaths(line)));
}

/**
 * The lines that say best what went wrong, at most so many: those that begin as an error begins, then
 * those that mention one. What passes is logged with such words, too, and mostly before.
 */
export function errorLinesOf(lines: readonly string[], most: number): string[] {
  const telling = lines.filter(tellsError);
  const begun = telling.filter(beginsAsError);
  return [...begun, ...telling.filter((line) => !beginsAsError(line))].slice(0, most);
}

/** Whether it is of a test that has not failed, of a place in a stack, or of whose output follows. */
export function isAside(line: string): boolean {
  return OF_ONE_TEST.test(line) || AROUND.test(line);
}

/** Whether a line begins as tests, compilers and programs begin one about an error. */
export function beginsAsError(line: string): boolean {
  return BEGINS.test(line) || (IN_PLACE.test(line) && TELLS_ERROR.test(line));
}
