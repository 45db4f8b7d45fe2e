import type { Expected } from '../../app/append.ts';
import { ProblemError } from './problem.ts';

/** Reads `If-Match`; null when it was not sent. Throws ProblemError (400). */
export function readIfMatch(header: string | undefined): Expected | null {
  if (header === undefined) return null;
  if (header.trim() === '*') return { kind: 'exists' };
  const version = /^"(\d{1,15})"$/.exec(header.trim())?.[1];
  if (version !== undefined) return { kind: 'version', version: Number(version) };
  throw new ProblemError(
    'invalid_request',
    'If-Match takes one version in quotes, such as "12", or *; no weak tags and no lists',
  );
}

export function etagOf(version: number): string {
  return `"${version}"`;
}

/** Whether `If-None-Match` names this tag; weak tags count, as RFC 9110 has it for reads. */
export function noneMatchHits(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => {
    const tag = part.trim();
    return tag === '*' || tag.replace(/^W\//, '') === etag;
  });
}

/** The longest that a request is held, in seconds. */
export const MAX_WAIT_SECONDS = 60;

/**
 * Seconds of `Prefer: wait=N`, at most 60, or null. What cannot be understood is ignored, as RFC
 * 7240 asks.
 */
export function preferredWait(header: string | undefined): number | null {
  if (header === undefined) return null;
  for (const part of header.split(/[,;]/)) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*$/i.exec(part)?.[1];
    if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_SECONDS);
  }
  return null;
}

/** Says that the answer was held as `Prefer` asked. */
export function preferenceApplied(seconds: number | null): Record<string, string> {
  return seconds === null ? {} : { 'Preference-Applied': `wait=${seconds}` };
}
