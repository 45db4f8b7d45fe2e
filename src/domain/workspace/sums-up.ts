/** Characters from the end of an output that are read. */
const LOOKED_AT = 60_000;
const FAILURE =
  /^(?:FAIL(?:ED)?\b|--- FAIL|=+ .{0,100}\b[1-9]\d* (?:failed|errors?)\b|Tests?:? .{0,60}\b[1-9]\d* (?:failed|failing)\b|\s*[1-9]\d* failing\b|error(?:\[\w+\])?: |.{1,300}\(\d+,\d+\): error |.{1,300}:\d+:\d+:? (?:fatal )?error\b|make: \*\*\*|npm ERR!|ERROR: |BUILD FAILED|exit status [1-9]\d{0,2}$)/m;

/** Whether an output ends as runs of tests and compilers sum up a failure, which a pipe hides from the exit code. */
export function sumsUpFailure(text: string): boolean {
  return FAILURE.test(text.slice(-LOOKED_AT));
}
