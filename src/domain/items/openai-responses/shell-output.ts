import { isJsonObject, type Json, type JsonObject, objectsIn, stringField } from '../../json.ts';

// The output of the shell tool is a list: what each command printed, and how it ended. (The types
// allow an exit code or a timeout and nothing else.)

/** How a call ended, as far as it is known: what has no result has neither worked nor failed. */
export type Ending = 'worked' | 'failed' | 'unknown';

/** One command has not ended, as far as anybody knows. */
const NOT_ENDED: JsonObject = { type: 'timeout' };
const EXIT_CODE = { worked: 0, failed: 1 };

/** A new output that holds a text. */
export function shellOutput(text: string, ending: Ending): JsonObject[] {
  const outcome = ending === 'unknown' ? NOT_ENDED : { type: 'exit', exit_code: EXIT_CODE[ending] };
  return [{ stdout: text, stderr: '', outcome }];
}

/** The output with a text in place of all that was printed: how each command ended stays. */
export function shellOutputWith(output: Json | undefined, text: string): JsonObject[] {
  const [first, ...others] = objectsIn(output);
  if (first === undefined) return shellOutput(text, 'unknown');
  const emptied = (chunk: JsonObject, stdout: string) => ({ ...chunk, stdout, stderr: '' });
  return [emptied(first, text), ...others.map((chunk) => emptied(chunk, ''))];
}

/** Whether a command failed or was stopped at its time limit. */
export function isFailedShellOutput(output: Json | undefined): boolean {
  return objectsIn(output).some((chunk) => endingNote(chunk) !== null);
}

/** What the commands printed, text by text, with a note after each that did not end well. */
export function shellTexts(output: Json | undefined): string[] {
  return objectsIn(output).flatMap((chunk) => {
    const printed = [stringField(chunk, 'stdout'), stringField(chunk, 'stderr')].filter(
      (text) => text !== undefined && text !== '',
    );
    const note = endingNote(chunk);
    // A shortened text has the note already.
    const isTold = note === null || printed.some((text) => text?.endsWith(note));
    return [...printed, ...(isTold ? [] : [note])].filter((text) => text !== undefined);
  });
}

/** Other formats have no field for it; null for a command that ended with exit code 0. */
function endingNote({ outcome }: JsonObject): string | null {
  if (!isJsonObject(outcome)) return null;
  if (outcome.type === 'timeout') return '[The command timed out.]';
  const code = outcome.exit_code;
  if (typeof code !== 'number' || code === 0) return null;
  return `[The command finished with exit code ${code}.]`;
}
