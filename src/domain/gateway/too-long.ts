import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { answerJson } from './answer-json.ts';

/** How providers, and servers that speak as they do, say that a request does not fit the window. */
const TOO_LONG =
  /prompt is too long|context_length_exceeded|maximum context length|exceeds? (?:the )?(?:model'?s? )?(?:maximum )?context (?:window|length|limit|size)|input is too long|too many (?:input )?tokens|request_too_large/i;

/** Whether an answer says that the prompt is too long; `text` is the beginning of its body. */
export function saysTooLong(status: number, text: string): boolean {
  return (status === 400 || status === 413 || status === 422) && TOO_LONG.test(text);
}

/** What an event at the beginning of an answer says of its prompt; `more`: nothing yet. */
export type Beginning = { kind: 'fine' } | { kind: 'more' } | { kind: 'too_long'; refusal: string };

const FINE: Beginning = { kind: 'fine' };
const MORE: Beginning = { kind: 'more' };

/** Events that only say that there will be an answer. */
const BEFORE_ANSWER: ReadonlySet<Json | undefined> = new Set([
  'response.created',
  'response.in_progress',
  'response.queued',
  'ping',
]);

/** Whether an event of an answer with status 200 says that the prompt is too long. */
export function refusalInEvent(data: string): Beginning {
  const event = answerJson(data);
  return BEFORE_ANSWER.has(event?.type) ? MORE : refusalOf(event);
}

/** The same of a whole body. */
export function refusalInBody(text: string): Beginning {
  return refusalOf(answerJson(text));
}

function refusalOf(said: JsonObject | null): Beginning {
  if (said === null) return FINE;
  const response = isJsonObject(said.response) ? said.response : said;
  const hasFailed = said.type === 'error' || response.status === 'failed';
  const error = isJsonObject(response.error) ? response.error : hasFailed ? said : null;
  if (error === null) return FINE;
  const refusal = JSON.stringify(error);
  return TOO_LONG.test(refusal) ? { kind: 'too_long', refusal } : FINE;
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
