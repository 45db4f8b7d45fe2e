const FILE_NAME = /[\w./-]{1,120}\.(?:ts|js|py|go|rs|java|md|json|toml|yaml|yml|txt|sql|c|h)\b/g;

/** What the server answers without a script: nine sections that quote the request's file names. */
export function plausibleSummary(request: string): string {
  const files = [...new Set(request.match(FILE_NAME) ?? [])].slice(0, 20);
  const first = files[0] ?? 'no file';
  const sections = [
    [
      'Primary request and intent',
      'The user asked for the work that the record shows, one step after the other, and wants to be told what was found and changed.',
    ],
    ['Key technical concepts', 'None'],
    ['Files and code sections', files.map((file) => `- ${file}`).join('\n   ') || 'None'],
    ['Errors and fixes', 'None'],
    ['Problem solving', 'None'],
    ['All user messages', 'See the primary request.'],
    ['Pending tasks', 'None'],
    [
      'Current work',
      `Working on ${first}: the last entries of the record read it and look for what is left to do.`,
    ],
    ['Optional next step', `Go on with ${first}.`],
  ];
  const body = sections.map(([title, text], i) => `${i + 1}. ${title}:\n   ${text}`).join('\n\n');
  return `<analysis>\nThe request has ${request.length} characters.\n</analysis>\n\n<summary>\n${body}\n</summary>`;
}
