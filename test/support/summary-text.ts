const SECTIONS = [
  'Primary request and intent: the user asked for the work that the record shows.',
  'Key technical concepts: None',
  'Files and code sections: the files that the record names were read and changed.',
  'Errors and fixes: None',
  'Problem solving: what came up was looked into and settled on the way.',
  'All user messages: each asked for the next piece of the work.',
  'Pending tasks: None',
  'Current work: the last piece of it, which is finished.',
  'Optional next step: None named.',
];

/** A summary as a model writes it, in nine short sections; it ends with `words`. */
export function summaryText(words = 'All done so far.'): string {
  const lines = SECTIONS.map((line, index) => `${index + 1}. ${line}`);
  return `${lines.join('\n')} ${words}`;
}

/** The same as an answer: inside its tags. */
export function summaryAnswer(words?: string): string {
  return `<summary>${summaryText(words)}</summary>`;
}
