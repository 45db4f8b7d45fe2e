/** Codex writes a plan in its answer, and the user has it carried out, with or without its text. */
const OPENING = '<proposed_plan>';
const CLOSING = '</proposed_plan>';
const CARRIES_OUT =
  /^\s*(?:(?:ok(?:ay)?|yes|great|now|please|go ahead and)[,.]? ){0,3}implement (?:this|that|the) plan\b[ \t]{0,20}[.:!]?[ \t]{0,20}(?:\n|$)/i;
/** Characters by which the end of a plan is known again. */
const ENDING = 200;

/** The plan that an answer of the assistant proposes; null when it proposes none. */
export function proposedPlan(said: string): string | null {
  const opening = said.lastIndexOf(OPENING);
  if (opening === -1) return null;
  const [plan = ''] = said.slice(opening + OPENING.length).split(CLOSING, 1);
  return plan.trim() === '' ? null : plan.trim();
}

/**
 * The plan that a request approves of those that the assistant has just proposed, and the request without
 * it: what the assistant has written is no demand of the user. Null when it approves none.
 */
export function approvedPlan(request: string, said: string): { plan: string; own: string } | null {
  const start = CARRIES_OUT.exec(request)?.[0];
  const proposed = start === undefined ? null : proposedPlan(said);
  if (start === undefined || proposed === null) return null;
  const given = request.slice(start.length).trim();
  if (given === '' || !start.trimEnd().endsWith(':')) return { plan: proposed, own: request };
  // Of a long answer the middle is not known, but how it begins is, and how it ends.
  if (given.split('\n', 1)[0]?.trim() === proposed.split('\n', 1)[0]?.trim()) {
    const ending = proposed.slice(-ENDING);
    const at = given.lastIndexOf(ending);
    const end = at === -1 ? given.length : at + ending.length;
    return { plan: given.slice(0, end), own: start + given.slice(end) };
  }
  // Another plan has a title as well; without one it is what the user has to say of this one.
  return { plan: given.startsWith('#') ? given : proposed, own: request };
}
