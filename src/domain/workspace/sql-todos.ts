import type { JsonObject } from '../json.ts';

// The Copilot CLI keeps its todos in a database, which its model changes in SQL.

/** Of longer scripts the beginning is read. */
const MOST_CHARACTERS = 50_000;
const TOKEN = /--[^\n]*|'(?:[^']|'')*'|[A-Za-z_]\w*|-?\d+(?:\.\d+)?|\S/g;
const COLUMNS: ReadonlySet<string> = new Set(['id', 'title', 'description', 'status']);

/**
 * What a script in SQL changes in the table `todos`, todo by todo, as far as it names them by their ids;
 * null where it changes nothing that could be told.
 */
export function todoChangesIn(script: string): JsonObject[] | null {
  const changes = new Map<string, JsonObject>();
  for (const statement of statementsIn(script)) {
    for (const change of changesBy(statement)) {
      changes.set(change.id, { ...changes.get(change.id), ...change });
    }
  }
  return changes.size === 0 ? null : [...changes.values()];
}

type Change = { id: string } & JsonObject;

function statementsIn(script: string): string[][] {
  const statements: string[][] = [[]];
  for (const [token] of script.slice(0, MOST_CHARACTERS).matchAll(TOKEN)) {
    if (token === ';') statements.push([]);
    else if (!token.startsWith('--')) statements.at(-1)?.push(token);
  }
  return statements;
}

function changesBy(tokens: readonly string[]): Change[] {
  const words = tokens.slice(0, 6).map((token) => token.toLowerCase());
  const isInto = (at: number) => words[at] === 'into' && words[at + 1] === 'todos';
  if (words[0] === 'insert' && isInto(1)) return inserted(tokens.slice(3));
  if (words[0] === 'insert' && words[1] === 'or' && isInto(3)) return inserted(tokens.slice(5));
  if (words[0] === 'replace' && isInto(1)) return inserted(tokens.slice(3));
  if (words[0] === 'update' && words[1] === 'todos' && words[2] === 'set') return updated(tokens);
  if (words[0] === 'delete' && words[1] === 'from' && words[2] === 'todos') {
    return idsIn(tokens.slice(3)).map((id) => ({ id, status: 'deleted' }));
  }
  return [];
}

/** `(id, title) VALUES ('a', 'A'), ('b', 'B')` */
function inserted(tokens: readonly string[]): Change[] {
  const end = tokens.indexOf(')');
  if (tokens[0] !== '(' || tokens[end + 1]?.toLowerCase() !== 'values') return [];
  const columns = listed(tokens.slice(1, end)).map(([name = '']) => name.toLowerCase());
  return rowsIn(tokens.slice(end + 2)).flatMap((row): Change[] => {
    const values = columns.flatMap((column, place): [string, string][] => {
      const value = literal(row[place] ?? []);
      return value === null || !COLUMNS.has(column) ? [] : [[column, value]];
    });
    const { id, ...rest } = Object.fromEntries(values);
    return id === undefined ? [] : [{ id, status: 'pending', ...rest }];
  });
}

/** `UPDATE todos SET status = 'done' WHERE id IN ('a', 'b')` */
function updated(tokens: readonly string[]): Change[] {
  const where = tokens.findIndex((token) => token.toLowerCase() === 'where');
  if (where === -1) return [];
  const set = listed(tokens.slice(3, where)).flatMap(([name = '', is, ...of]) => {
    const value = literal(of);
    const isKnown = is === '=' && value !== null && COLUMNS.has(name.toLowerCase());
    return isKnown ? [[name.toLowerCase(), value] as const] : [];
  });
  if (set.length === 0) return [];
  return idsIn(tokens.slice(where)).map((id) => ({ ...Object.fromEntries(set), id }));
}

/** The ids that `WHERE id = 'a'` and `WHERE id IN ('a', 'b')` name; none where there are other conditions. */
function idsIn([where = '', column = '', is = '', ...of]: readonly string[]): string[] {
  if (where.toLowerCase() !== 'where' || column.toLowerCase() !== 'id') return [];
  const isList = is.toLowerCase() === 'in' && of[0] === '(' && of.at(-1) === ')';
  if (is !== '=' && !isList) return [];
  const ids = isList ? listed(of.slice(1, -1)).map(literal) : [literal(of)];
  const known = ids.filter((id) => id !== null);
  return known.length === ids.length ? known : [];
}

/** The parts of a list that commas divide, whatever stands in brackets. */
function listed(tokens: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function rowsIn(tokens: readonly string[]): string[][][] {
  return listed(tokens).flatMap((row) =>
    row[0] === '(' && row.at(-1) === ')' ? [listed(row.slice(1, -1))] : [],
  );
}

/** A text or a number by itself; null for anything that is worked out. */
function literal(tokens: readonly string[]): string | null {
  const [token = ''] = tokens;
  if (tokens.length !== 1) return null;
  if (/^'.*'$/s.test(token)) return token.slice(1, -1).replaceAll("''", "'");
  return /^-?\d/.test(token) ? token : null;
}
