import type { Json, JsonObject } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import type { Limits } from '../app-dependencies.ts';
import { joined, MAX_ERRORS } from '../http/abridge.ts';
import { parseJson, type RawBody, refuseTooManyValues } from '../http/json-body.ts';
import { ProblemError } from '../http/problem.ts';

/** The items of a request, and where the client finds item `index` in what it sent. */
type PostedItems = { items: Json[]; placeOf: (index: number) => string };

type ItemLimits = Pick<
  Limits,
  'items_per_request' | 'json_depth' | 'json_values' | 'json_values_here'
>;

/**
 * The items of a body: one item, an array, `{"items": […]}`, or one item a line (SPEC section 2).
 * Only the envelope is looked at. Throws ProblemError (400, 413), and ElsewhereError.
 */
export function postedItems(body: RawBody, limits: ItemLimits): PostedItems {
  refuseTooManyValues(body.text, limits);
  const posted =
    body.kind === 'ndjson' ? fromLines(body.text, limits) : fromJson(body.text, limits);
  const { length } = posted.items;
  if (length === 0) {
    throw new ProblemError('invalid_request', 'the body holds no items: post at least one');
  }
  if (length > limits.items_per_request) throw tooManyItems(limits, String(length));
  return posted;
}

function tooManyItems({ items_per_request }: ItemLimits, found: string): ProblemError {
  return new ProblemError(
    'body_too_large',
    `a request may carry ${items_per_request} items, and this one has ${found}: send the rest in ` +
      'further requests',
  );
}

function fromLines(text: string, limits: ItemLimits): PostedItems {
  const items: Json[] = [];
  const lines: number[] = [];
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    number += 1;
    if (line.trim() === '') continue;
    // Before parsing: the lines beyond the limit are never read.
    if (items.length === limits.items_per_request) throw tooManyItems(limits, 'more');
    items.push(parseJson(line, limits.json_depth, `line ${number}`));
    lines.push(number);
  }
  return { items, placeOf: (index) => `line ${lines[index]}` };
}

function fromJson(text: string, limits: ItemLimits): PostedItems {
  if (text.trim() === '') return { items: [], placeOf: String };
  const json = parseJson(text, limits.json_depth, 'the body');
  if (Array.isArray(json)) return { items: json, placeOf: String };
  if (!isJsonObject(json)) {
    throw new ProblemError(
      'invalid_request',
      'the body must be an item, an array of items, or {"items": […]}',
    );
  }
  refuseRequest(json);
  if (!isEnvelope(json)) return { items: [json], placeOf: () => '' };
  const { items, ...rest } = json;
  const unknown = Object.keys(rest);
  if (unknown.length > 0) {
    throw new ProblemError(
      'invalid_request',
      `the body has unknown fields: ${joined(unknown, ', ')}`,
      {
        errors: unknown
          .slice(0, MAX_ERRORS + 1)
          .map((path) => ({ path, message: 'there is no such field beside "items"' })),
      },
    );
  }
  if (!Array.isArray(items)) {
    throw new ProblemError('invalid_request', '"items" must be an array of items', {
      errors: [{ path: 'items', message: 'must be an array' }],
    });
  }
  return { items, placeOf: (index) => `items.${index}` };
}

/** What requests to models call their conversation. */
const CONVERSATIONS = ['messages', 'input', 'contents', 'conversation', 'history'];

/** Throws ProblemError (400) for the body of a request to a model, which many try first. */
function refuseRequest(json: JsonObject): void {
  if ('role' in json || 'type' in json || 'items' in json) return;
  const field = CONVERSATIONS.find((name) => Array.isArray(json[name]));
  if (field === undefined) return;
  throw new ProblemError(
    'invalid_request',
    `the body has "${field}", as a request to a model does: post the ${field === 'input' ? 'items' : 'messages'} ` +
      'themselves, as an array or as {"items": […]}',
    { errors: [{ path: field, message: 'must be called "items"' }] },
  );
}

/** An item has a role or a type; an envelope has neither. */
function isEnvelope(json: JsonObject): boolean {
  return 'items' in json && !('role' in json) && !('type' in json);
}

/** The domain counts `items.N`: the same errors with the places of the body that was sent. */
export function relocated<T>(outcome: Outcome<T>, { placeOf }: PostedItems): Outcome<T> {
  if (outcome.ok || outcome.rejection.errors === undefined) return outcome;
  const errors = outcome.rejection.errors.map(({ path, message }) => {
    const [, index, rest] = /^items\.(\d+)(?:\.(.*))?$/s.exec(path) ?? [];
    if (index === undefined) return { path, message };
    const place = placeOf(Number(index));
    return { path: [place, rest].filter(Boolean).join('.'), message };
  });
  return { ok: false, rejection: { ...outcome.rejection, errors } };
}
