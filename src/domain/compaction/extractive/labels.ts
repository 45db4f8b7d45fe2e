import { clipEnd, oneLine } from '../../text.ts';

/** How the lines of a summary say what they are. */
export const LABELS = {
  first_request: 'User, first request: ',
  latest_request: 'User, latest request: ',
  request_before: 'User, request before it: ',
  message: 'User: ',
  constraint: 'User, standing instruction: ',
  required: 'User, required of a task: ',
  required_before: 'User, required of an earlier request: ',
  experience: 'User, so far: ',
  project: 'Project instructions: ',
  inherited: "The client's own summary of the time before: ",
  decision: 'Assistant: ',
  subagent: 'Subagent: ',
  hook: 'Hook: ',
  error: 'Error in ',
  refused: 'Refused: ',
  run: 'Run ',
  tool: 'Tool ',
  changed: 'Called, no error seen: ',
  git: 'Git, as it told last: ',
  open_todo: 'Open: ',
  active_todo: 'In progress: ',
  todos_left: 'List not touched, ',
  plan_left: 'Not touched, ',
  done_todo: 'Done: ',
  dropped_todo: 'Dropped: ',
  plan: 'Plan: ',
  next_todo: 'Next todo: ',
  intention: "Assistant's last stated intention: ",
  intention_asked_since: "Assistant's last stated intention, before the user's latest message: ",
  intention_before: 'Assistant, before the messages below: ',
  waiting: 'No result yet: ',
  running: 'Left running, no end seen: ',
  exact: 'To the letter: ',
  name: 'Name: ',
} as const;

const LONGEST_OLDER = 80;

/** A label that says what its line has been said after, if anything: where not both can hold, this one does. */
export function newerLabel(label: string, older: string | undefined): string {
  if (older === undefined) return label;
  const said = clipEnd(oneLine(older), LONGEST_OLDER);
  return label.replace(/: $/, ` (newer than “${said}”, holds where they differ): `);
}
