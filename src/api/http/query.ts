import { z } from '@hono/zod-openapi';
import { nearestName } from '../../domain/nearest-name.ts';
import type { FieldError } from '../../domain/session/errors.ts';
import { joined, MAX_ERRORS } from './abridge.ts';
import { ProblemError } from './problem.ts';
import { parseInput } from './validation.ts';

/** Names that a route reads from elsewhere, for those who look for them in the query. */
type NamesElsewhere = { body: readonly string[]; headers: readonly string[] };

const NOWHERE: NamesElsewhere = { body: [], headers: [] };

/**
 * Makes the function that reads the query of a URL. It throws ProblemError (400): for a parameter
 * that the route does not have, since a misspelt one would otherwise be ignored in silence, for one
 * that is there twice, and for a value that does not fit.
 */
export function queryReader<Query>(
  schema: z.ZodObject & z.ZodType<Query>,
  elsewhere: NamesElsewhere = NOWHERE,
): (url: string) => Query {
  const names = Object.keys(schema.shape);
  // What has no fields need not be checked with each request.
  const none = names.length === 0 ? schema.parse({}) : null;
  return (url) => {
    const parameters = parametersOf(url);
    const errors = flawsOf(parameters, names, elsewhere);
    const [first] = errors;
    if (first !== undefined) {
      const paths = joined([...new Set(errors.map(({ path }) => `"${path}"`))], ', ');
      const detail = `the query cannot be used: ${paths}: ${first.message}`;
      throw new ProblemError('invalid_request', detail, { errors });
    }
    return none ?? parseInput(schema, Object.fromEntries(parameters), 'the query');
  };
}

/** As `queryReader`, for routes whose clients add parameters of their own. */
export function lenientQueryReader<Query>(schema: z.ZodType<Query>): (url: string) => Query {
  return (url) => parseInput(schema, Object.fromEntries(parametersOf(url)), 'the query');
}

/** The names that a body of this schema may have at its top. */
export function topFields(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function parametersOf(url: string): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
}

function flawsOf(
  parameters: URLSearchParams,
  names: readonly string[],
  elsewhere: NamesElsewhere,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const path of parameters.keys()) {
    if (!names.includes(path)) {
      if (!seen.has(path)) errors.push({ path, message: hintFor(path, names, elsewhere) });
    } else if (seen.has(path)) {
      errors.push({ path, message: 'is given more than once: send it once' });
    }
    seen.add(path);
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

function hintFor(
  name: string,
  names: readonly string[],
  { body, headers }: NamesElsewhere,
): string {
  const nearest = nearestName(name, [...names, ...body, ...headers]);
  if (nearest === null) {
    const taken =
      names.length === 0
        ? 'this path takes no query parameters'
        : `this path takes ${names.join(', ')}`;
    return `unknown query parameter; ${taken}`;
  }
  const question = nearest === name ? '' : `did you mean "${nearest}"? `;
  if (names.includes(nearest)) return `unknown query parameter: ${question.trim()}`;
  const place = body.includes(nearest) ? 'field of the JSON body' : 'header';
  return `unknown query parameter: ${question}"${nearest}" is a ${place}, send it there`;
}
