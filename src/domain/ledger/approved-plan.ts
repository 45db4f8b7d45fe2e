/** Codex writes a plan in its answer, and the user has it carried out, with or without its text. */
const PROPOSED = /<proposed_plan>\s*([\s\S]*?)\s*(?:<\/proposed_plan>|$)/;
const CARRIES_OUT =
  /^\s*(?:(?:ok(?:ay)?|yes|great|now|please|go ahead and)[,.]? ){0,3}implement (?:this|that|the) plan\b[ \t]*[.:!]?[ \t]*(?:\n|$)/i;

/** The plan that an answer of the assistant proposes; null when it proposes none. */
export function proposedPlan(said: string): string | null {
  const plan = PROPOSED.exec(said.slice(said.lastIndexOf('<proposed_plan>')))?.[1] ?? '';
  return plan === '' ? null : plan;
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
  // Of a long answer the middle is not known, but how it begins is.
  const isSame = given.split('\n', 1)[0]?.trim() === proposed.split('\n', 1)[0]?.trim();
  return { plan: given, own: isSame ? start : request };
}
