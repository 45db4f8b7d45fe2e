import type { JsonObject } from '../json.ts';

/** What Cline says that the file holds after a write or an edit, and what its editor made of it. */
export function savedText(answer: string): string | null {
  const open = /(?:^|\n)<final_file_content path="[^"\n]{1,4096}">\n/.exec(answer);
  const end = answer.lastIndexOf('\n</final_file_content>');
  if (open === null) return null;
  const start = open.index + open[0].length;
  return end < start ? null : answer.slice(start, end);
}

/** Whether the user, or a formatter, has made something else of the text than what the call says. */
export function isOtherwise(answer: string): boolean {
  return /(?:^|\n)(?:User modified the `\w{1,40}` content|The user made the following updates to your content|The user's editor also applied|<user_edits>|User has edited the |(?:The file|File created successfully at:) [^\n]{1,4200} The user modified your proposed )/i.test(
    answer.slice(0, 20_000),
  );
}

const NOT_AS_READ =
  /^(?:<tool_use_error>|Error: )?(?:The )?File (?:[^\n]{1,4096} )?has been (?:unexpectedly modified\b|modified(?: on \S{1,100})? since )|^The file [^\n]{1,4200} \(note: the file had been modified on disk since you last read it /i;

/** Whether an edit was refused because somebody else has changed the file, or was made though somebody had. */
export function isNotAsRead(answer: string): boolean {
  return NOT_AS_READ.test(answer.slice(0, 10_000));
}

/** Whether a call only shows what it would do. */
export function isDryRun(input: JsonObject): boolean {
  return input.dryRun === true || input.dry_run === true;
}
