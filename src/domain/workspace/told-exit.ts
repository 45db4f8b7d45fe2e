import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';

/** What a command has printed, without what its tool wrote around it, and the exit code if it is told. */
export type Ended = { text: string; code: number | null; isCut?: boolean };

const CODE = /^(?:exit_?code|return_?code|exit_?status)$/i;
const NAMES_CODE = /"(?:exit_?code|return_?code|exit_?status)"\s{0,8}:/i;
/** How tools begin that answer with the output and no code. */
const NAMES_OUTPUT = /^\s{0,8}\{\s{0,8}"(?:output|metadata|stdout|success)"/;

/** The same as Python prints it, which is not taken apart: the code stands at one of its ends. */
const IN_PYTHON = /[{,] ?'(?:exit_?code|return_?code|exit_?status)': (-?\d{1,10})(?=[,}])/i;
const ENDS = 200;

/** The object in which a tool answers what a command has printed; null for any other text. */
export function endedInJson(text: string): Ended | null {
  if (/^\s{0,8}\{'/.test(text)) {
    const found = IN_PYTHON.exec(text.slice(0, ENDS)) ?? IN_PYTHON.exec(text.slice(-ENDS));
    return found === null ? null : { text, code: Number(found[1]) };
  }
  if (!/^\s{0,8}\{/.test(text) || !(NAMES_OUTPUT.test(text) || NAMES_CODE.test(text))) return null;
  const json = parsed(text);
  if (!isJsonObject(json)) return null;
  const code =
    codeIn(json) ?? (isJsonObject(json.metadata) ? codeIn(json.metadata) : null) ?? worked(json);
  const output = stringField(json, 'output');
  if (output !== undefined) return { text: output, code };
  const head = stringField(json, 'output_head');
  if (head !== undefined) return { text: head, code, isCut: true };
  const [out, err] = [stringField(json, 'stdout'), stringField(json, 'stderr')];
  if (out === undefined && err === undefined) return null;
  // One of them alone, and no code, may stand in any document.
  if (code === null && (out === undefined || err === undefined)) return null;
  return { text: [out, err].filter((one) => one !== undefined && one !== '').join('\n'), code };
}

function codeIn(json: JsonObject): number | null {
  const found = Object.entries(json).find(([name]) => CODE.test(name))?.[1];
  return typeof found === 'number' && Number.isInteger(found) ? found : null;
}

/** What a tool without exit codes says of it. */
function worked({ success }: JsonObject): number | null {
  return typeof success === 'boolean' ? Number(!success) : null;
}

/** A line in which a tool says nothing but how a command ended. */
const NOTES: readonly RegExp[] = [
  /^[[(<]?(?:exit[ _-]?(?:code|status)|return[ _-]?code|rc)(?: ?[:=])? ?(-?\d{1,10})(?: \([a-z ]{1,40}\))?\.?[\])>]?$/i,
  /^(?:<system>)?(?:ERROR: )?[[(]?(?:The )?(?:command|process|program|script) (?:[a-z]{1,20} ){1,3}with (?:exit )?(?:code|status):? ?(-?\d{1,10})\.?[\])]?(?:<\/system>)?$/i,
  /^[[(]exit(?:ed)?:? (-?\d{1,10})[\])]$/i,
];
/** At the end of an output only these: what is in no brackets and has no colon may be the last line of a log. */
const AT_END = /^\[.*\]$|^\(.*\)$|[:=] ?-?\d{1,10}\.?$/;
/** What OpenHands and deepagents write behind it. */
const BEHIND =
  /\n\[(?:Current working directory: |Python interpreter: |Output was truncated)[^\n]*$/;
/** A script that prints an exit code itself. */
const PRINTS_CODE = /\$\?|status|LASTEXITCODE|ERRORLEVEL|(?:exit|return)[ _-]?code|\brc\b/i;

/** An output whose first or last line says how it ended, where the script has not printed that line itself. */
export function endedInWords(text: string, script: string): Ended | null {
  if (PRINTS_CODE.test(script)) return null;
  const head = /^[^\n]{1,100}/.exec(text)?.[0] ?? '';
  const first = codeOf(head.trim());
  if (first !== null) {
    return { text: text.slice(head.length + 1).replace(/^(?:Code )?Output:\s/i, ''), code: first };
  }
  let end = text.trimEnd();
  for (let at = 0; at < 3 && BEHIND.test(end.slice(-4_200)); at++) {
    end = end.slice(0, end.lastIndexOf('\n')).trimEnd();
  }
  const line = end.slice(end.lastIndexOf('\n') + 1);
  const last = line.length > 100 || !AT_END.test(line) ? null : codeOf(line);
  if (last === null) return null;
  return { text: end.slice(0, Math.max(0, end.length - line.length)).trimEnd(), code: last };
}

function codeOf(line: string): number | null {
  for (const note of NOTES) {
    const code = note.exec(line)?.[1];
    if (code !== undefined) return Number(code);
  }
  return null;
}

/** Fields of an answer that says nothing but what went wrong. */
const OF_ERROR =
  /^(?:error|message|code|status|statusCode|details|success|ok|type|name|hint|stack|traceback)$/;

/** What went wrong, where a tool that is no command says so in JSON; null for any other text. */
export function failureInJson(text: string): string | null {
  if (!/^\s{0,8}\{/.test(text)) return null;
  const json = parsed(text);
  if (!isJsonObject(json)) return null;
  const { success, ok, isError, error } = json;
  const isSaid = success === false || ok === false || isError === true;
  const isOnly =
    typeof error === 'string' &&
    error !== '' &&
    success !== true &&
    ok !== true &&
    Object.keys(json).every((name) => OF_ERROR.test(name));
  if (!isSaid && !isOnly) return null;
  const words = [error, json.message, json.stderr, json.output].filter(
    (one) => typeof one === 'string' && one !== '',
  );
  return words.length > 0 ? words.join('\n') : text;
}

function parsed(text: string): Json | undefined {
  try {
    const json: Json = JSON.parse(text);
    return json;
  } catch {
    // It only looks like the answer of a tool.
    return undefined;
  }
}
