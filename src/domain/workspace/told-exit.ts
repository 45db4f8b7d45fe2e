import { isJsonObject, type Json, type JsonObject, jsonObjectIn, stringField } from '../json.ts';

/**
 * What a command has printed, without what its tool wrote around it. `hasFailed` is null where nothing
 * tells, `isCut`: a part of it is left out, `isRunning`: it has not ended yet.
 */
export type Ended = {
  text: string;
  hasFailed: boolean | null;
  isCut?: boolean;
  isRunning?: boolean;
};

const CODE = /^(?:exit_?code|return_?code|exit_?status)$/i;
/** All that tools write beside an output: an object with anything else is a document. */
const BESIDE =
  /^(?:exit_?code|return_?code|exit_?status|output(?:_head|_tail)?|stdout|stderr|error|success|ok|metadata|type|timed_?out|signal|killed|interrupted|truncated|is_?image|no_?output_?expected|elided_chars|exception_info|content|command|cwd|pid|status|session_id|output_preview|started_at|uptime_seconds|(?:duration|elapsed|wall_?time|execution_?time)(?:_?(?:ms|s|sec|seconds))?)$/i;

/** The same as Python prints it, in one line, which is not taken apart: the code stands at one of its ends. */
const BY_PYTHON =
  /^\s{0,8}\{'(?:exit_?code|return_?code|exit_?status|output|stdout|stderr|success|error)': [^\n]*\}\s{0,8}$/i;
const IN_PYTHON = /[{,] ?'(?:exit_?code|return_?code|exit_?status)': (-?\d{1,10})(?=[,}])/i;
const ENDS = 200;
/** A script that writes such an object itself. */
const PRINTS_OBJECT = /(?:exit_?code|return_?code|exit_?status)\\?['"]?\s{0,8}:/i;

/** The object in which a tool answers what a command has printed; null for any other text. */
export function endedInJson(text: string, script: string): Ended | null {
  if (!/^\s{0,8}\{/.test(text) || PRINTS_OBJECT.test(script)) return null;
  if (BY_PYTHON.test(text)) {
    const names = text.matchAll(/[{,] ?'(\w{1,40})': /g);
    if (![...names].every(([, name = '']) => BESIDE.test(name))) return null;
    const found = IN_PYTHON.exec(text.slice(0, ENDS)) ?? IN_PYTHON.exec(text.slice(-ENDS));
    return found === null ? null : { text, hasFailed: Number(found[1]) !== 0 };
  }
  const json = jsonObjectIn(text);
  if (json === null || !saysOnly(json, BESIDE)) return null;
  const coded = failedIn(json);
  const hasFailed = coded ?? failedByFlag(json);
  // A flag alone may be that of a document, or of a service.
  if (hasFailed && coded === null && PRINTS_FILE.test(script)) return null;
  const [out, err] = [stringField(json, 'stdout'), stringField(json, 'stderr')];
  const head = stringField(json, 'output_head') ?? stringField(json, 'output_preview');
  const output = stringField(json, 'output') ?? head;
  // One field alone, and no code, may stand in any document; Strands calls both of them otherwise.
  if (hasFailed === null && (out === undefined || err === undefined)) {
    const error = stringField(json, 'error');
    if (output === undefined || error === undefined) return null;
    // A file with such fields is hardly ever written just as it writes them.
    if (PRINTS_FILE.test(script) && text !== JSON.stringify({ output, error })) return null;
    return { text: joined([output, error]), hasFailed, isCut: head !== undefined };
  }
  if (hasFailed !== true) {
    if (output !== undefined) return { text: output, hasFailed, isCut: head !== undefined };
    return out === undefined && err === undefined ? null : { text: joined([out, err]), hasFailed };
  }
  const tail = stringField(json, 'output_tail');
  const said = [output, out, tail && `[... omitted]\n${tail}`, err, wordsOf(json.error)];
  if (said.every((one) => one === undefined)) return null;
  return { text: joined(said), hasFailed, isCut: head !== undefined };
}

/** What Codex writes around the outputs of all its tools; null for any other text. */
export function endedInCodex(text: string): Ended | null {
  if (!/^\s{0,4}\{"(?:output|metadata)"/.test(text)) return null;
  const json = jsonObjectIn(text);
  if (json === null || Object.keys(json).length !== 2) return null;
  const output = stringField(json, 'output');
  if (output === undefined || !isJsonObject(json.metadata)) return null;
  const code = json.metadata.exit_code;
  return { text: output, hasFailed: typeof code === 'number' ? code !== 0 : null };
}

function joined(said: readonly (string | undefined)[]): string {
  const own = said.filter((one) => one !== undefined && one !== '');
  return own.filter((one, at) => own.indexOf(one) === at).join('\n');
}

/** What an error says of itself, as a text or as an object with a message. */
function wordsOf(error: Json | undefined): string | undefined {
  const words = isJsonObject(error) ? error.message : error;
  return typeof words === 'string' && words !== '' ? words : undefined;
}

/** By what has stopped it, or by its code. */
function failedIn(json: JsonObject): boolean | null {
  if (isStopped(json)) return true;
  const code = codeIn(json) ?? (isJsonObject(json.metadata) ? codeIn(json.metadata) : null);
  return code === null ? null : code !== 0;
}

/** What a tool without exit codes says of it. */
function failedByFlag(json: JsonObject): boolean | null {
  const worked = json.success ?? json.ok;
  return typeof worked === 'boolean' ? !worked : null;
}

function isStopped(json: JsonObject): boolean {
  return Object.entries(json).some(
    ([name, value]) =>
      (/^(?:timed_?out|killed|interrupted)$/i.test(name) && value === true) ||
      (name === 'signal' && typeof value === 'string' && value !== ''),
  );
}

function codeIn(json: JsonObject): number | null {
  const found = Object.entries(json).find(([name]) => CODE.test(name))?.[1];
  if (typeof found === 'string' && /^-?\d{1,10}$/.test(found)) return Number(found);
  return typeof found === 'number' && Number.isInteger(found) ? found : null;
}

/** A line in which a tool says nothing but how a command ended. */
const NOTES: readonly RegExp[] = [
  /^[[(<]?(?:exit[ _-]?(?:code|status)|return[ _-]?code|rc)(?: ?[:=])? ?(-?\d{1,10})(?: \([a-z ]{1,40}\))?\.?[\])>]?$/i,
  /^(?:<system>)?(?:ERROR: )?[[(]?(?:The )?(?:command|process|program|script) (?:[a-z]{1,20} ){1,3}with (?:exit )?(?:code|status):? ?(-?\d{1,10})\.?[\])]?(?:<\/system>)?$/i,
  /^[[(]exit(?:ed)?:? (-?\d{1,10})[\])]$/i,
];
/** Only these: what is in no brackets and has no colon may be a line of any log. */
const IS_NOTE = /^\[.*\]$|^\(.*\)$|^<.*>$|[:=] ?-?\d{1,10}(?: \([a-z ]{1,40}\))?\.?$/i;
/** What OpenHands and deepagents write behind it. */
const BEHIND =
  /\n\[(?:Current working directory: |Python interpreter: |Output was truncated)[^\n]*$/;
/** A script that prints an exit code itself. */
const PRINTS_CODE =
  /\$\?|\$\{?(?:status|PIPESTATUS|LASTEXITCODE|rc)\b|ERRORLEVEL|(?:exit|return)[ _-]?(?:code|status)|\b(?:echo|print\w{0,10}|write-\w{1,10})\b[^\n;&|]{0,300}(?:status|\brc\b)/i;
/** A script that prints a file or a log, in which such a line may stand. */
const PRINTS_FILE =
  /(?:^|[\s;&|($`/])(?:cat|bat|batcat|tac|nl|tail|head|less|more|most|view|zcat|gunzip|xzcat|strings|sed(?!\s+(?:-[a-z]\s+){0,3}(?:-\w*i|--in-place))|awk|gawk|grep|egrep|fgrep|zgrep|rg|ag|ack|cut|sort|uniq|tee|jq|yq|curl|wget|logs|journalctl|dmesg|type|gc|get-content|select-string)(?![\w./-])|\bgit\b[^\n;&|]{0,200}\b(?:show|blame|cat-file|diff)\b|--log\b|\bgh run view\b/i;

/** What Claude Code writes above an output; programs that hand it on drop the flag beside it. */
const ABOVE = /^Exit code [1-9]\d{0,2}$/;
/** What does nothing but show files: an output that was kept in one begins with the same line. */
const SHOWS_FILE =
  /^\s*(?:cd|pushd|sleep|echo|cat|bat|batcat|tac|nl|tail|head|less|more|most|zcat|xzcat|sed(?! -i)|awk|jq)\s/;
/** Unless it is one of those that says why it cannot. */
const COMPLAINS = /^\n(?:\/\S{0,60}: (?:line \d{1,9}: )?)?[a-z]{2,8}: /;

/** How Node words that a command has failed, in front of the command: Grok CLI shows nothing else of it. */
const NODE = /^(?:Command failed: ){1,2}/;

/**
 * An output whose first or last line says how it ended, where the script cannot have printed that line
 * itself, nor from a file or a log.
 */
export function endedInWords(text: string, script: string): Ended | null {
  const node = NODE.exec(text)?.[0];
  if (node !== undefined && text.startsWith(script, node.length)) {
    return { text: text.slice(node.length + script.length).trimStart(), hasFailed: true };
  }
  const head = /^[^\n]{1,100}/.exec(text)?.[0] ?? '';
  if (ABOVE.test(head) && !PRINTS_CODE.test(script) && !mayShow(script, text.slice(head.length))) {
    return { text: text.slice(head.length + 1), hasFailed: true };
  }
  const first = codeOf(head.trim());
  const end = beforeFrame(text);
  const line = end.slice(end.lastIndexOf('\n') + 1);
  const last = first === null ? codeOf(line) : null;
  if (first === null && last === null) return null;
  if (PRINTS_CODE.test(script) || PRINTS_FILE.test(script)) return null;
  if (first !== null) {
    const output = text.slice(head.length + 1).replace(/^(?:Code )?Output:\s/i, '');
    return { text: output, hasFailed: first !== 0 };
  }
  return { text: end.slice(0, end.length - line.length).trimEnd(), hasFailed: last !== 0 };
}

/** Whether what stands below that line may be, with it, what a script shows of a file: errors would be heard. */
function mayShow(script: string, below: string): boolean {
  if (/[2&]>/.test(script)) return false;
  const isShown = script
    .trim()
    .split(/&&|\|\||[;|\n]/)
    .every((part) => SHOWS_FILE.test(`${part} `));
  return isShown && !COMPLAINS.test(below);
}

function beforeFrame(text: string): string {
  let end = text.trimEnd();
  for (let at = 0; at < 3 && BEHIND.test(end.slice(-4_200)); at++) {
    end = end.slice(0, end.lastIndexOf('\n')).trimEnd();
  }
  return end;
}

function codeOf(line: string): number | null {
  if (line.length > 100 || !IS_NOTE.test(line)) return null;
  for (const note of NOTES) {
    const code = note.exec(line)?.[1];
    if (code !== undefined) return Number(code);
  }
  return null;
}

/** Fields of an answer that says nothing but what went wrong. */
const OF_ERROR =
  /^(?:error|isError|message|code|status|statusCode|details|success|ok|type|hint|stack|traceback|stderr|output)$/;

/** What went wrong, where a tool that is no command says so in JSON; null for any other text. */
export function failureInJson(text: string): string | null {
  if (!/^\s{0,8}\{/.test(text)) return null;
  const json = jsonObjectIn(text);
  if (json === null || !saysOnly(json, OF_ERROR)) return null;
  const { success, ok, isError, message } = json;
  if (success === true || ok === true || isError === false) return null;
  const error = wordsOf(json.error);
  // A flag that is false may be any setting: only with words beside it is it a failure.
  const isSaid = (success === false || ok === false) && wordsOf(message) !== undefined;
  if (error === undefined && isError !== true && !isSaid) return null;
  const words = joined([error, wordsOf(message), wordsOf(json.stderr), wordsOf(json.output)]);
  return words === '' ? text : words;
}

/** Whether nothing else is said: what is null says nothing. */
function saysOnly(json: JsonObject, names: RegExp): boolean {
  return Object.entries(json).every(([name, value]) => value === null || names.test(name));
}
