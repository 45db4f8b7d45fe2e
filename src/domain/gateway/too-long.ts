/** How providers, and servers that speak as they do, say that a request does not fit the window. */
const TOO_LONG =
  /prompt is too long|context_length_exceeded|maximum context length|exceeds? (?:the )?(?:model'?s? )?(?:maximum )?context (?:window|length|limit|size)|input is too long|too many (?:input )?tokens|request_too_large/i;

/** Whether an answer says that the prompt is too long; `text` is the beginning of its body. */
export function saysTooLong(status: number, text: string): boolean {
  return (status === 400 || status === 413 || status === 422) && TOO_LONG.test(text);
}

/** Where providers name the largest prompt that they take, in tokens. */
const LIMITS = [
  /> (\d[\d,]*) maximum/,
  /maximum context length (?:is|of) (\d[\d,]*)/i,
  /context (?:window|length|limit|size) (?:is|of) (\d[\d,]*)/i,
];

/** Guessed where the provider names no figure: a little less than what it has refused. */
const SHARE = 0.8;

/**
 * The window that a refusal tells of, in tokens; `tokens`: of the context that was refused, as far as it
 * is known here.
 */
export function windowTold(text: string, tokens: number): number {
  const told = LIMITS.map((limit) => limit.exec(text)?.[1]).find((figure) => figure !== undefined);
  const named = Number(told?.replaceAll(',', ''));
  return Number.isSafeInteger(named) && named > 0 ? named : Math.floor(tokens * SHARE);
}
