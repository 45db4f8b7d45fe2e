import { isJsonObject, type Json } from '../json.ts';
import { parseInside } from '../json-text.ts';
import type { Ended } from './told-exit.ts';

/** What Cline says of one of the files or commands that a call has asked for. */
type Asked = { result: string; error: string; isDone: boolean };

const FIELDS: ReadonlySet<string> = new Set(['query', 'result', 'error', 'success']);
/** How it says above an output that a command has failed, and beside it. */
const EXIT = /^\[Command exited with code -?\d{1,10}\]\n?/;
const SAYS_EXIT = /^Command exited with code -?\d{1,10}$/;

/** The answers of Cline since 3.0, which come as JSON, one for each file or command; null for any other text. */
export function clineResults(text: string): Asked[] | null {
  if (!/^\[?\{"query":"/.test(text)) return null;
  const json = parseInside(text);
  const entries = Array.isArray(json) ? json : [json];
  const asked = entries.map((entry) => (entry === undefined ? null : askedIn(entry)));
  const known = asked.filter((one) => one !== null);
  return known.length === asked.length ? known : null;
}

function askedIn(entry: Json): Asked | null {
  if (!isJsonObject(entry) || !Object.keys(entry).every((name) => FIELDS.has(name))) return null;
  const { result, error = '', success } = entry;
  if (typeof result !== 'string' || typeof error !== 'string') return null;
  return typeof success === 'boolean' ? { result, error, isDone: success } : null;
}

/** What commands have printed, one after the other, without what stands around it. */
export function commandsOfCline(text: string): Ended | null {
  const results = clineResults(text);
  if (results === null) return null;
  const printed = results.map(({ result, error }) => {
    const said = result.replace(EXIT, '');
    return SAYS_EXIT.test(error) || error === '' ? said : `${said}${said && '\n'}${error}`;
  });
  return { text: printed.join('\n'), hasFailed: results.some(({ isDone }) => !isDone) };
}

/** What went wrong where nothing of what was asked for was done; null for any other text. */
export function failureOfCline(text: string): string | null {
  const results = clineResults(text);
  if (results === null || results.some(({ isDone }) => isDone)) return null;
  return results.map(({ result, error }) => error || result).join('\n');
}
