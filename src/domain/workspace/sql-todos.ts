import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { rememberingLast } from '../remember.ts';

// The Copilot CLI keeps its todos in a database, which its model changes and reads in SQL.

/** Of longer scripts the beginning is read: each statement costs as much as the list is long. */
const MOST_CHARACTERS = 50_000;
const MOST_STATEMENTS = 200;
const TOKEN = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_]\w*|-?\d+(?:\.\d+)?|[!<>=]=|<>|\S/g;
/** Lines of an answer that are looked at. */
const MOST_LINES = 2_000;
const COLUMNS: readonly string[] = ['id', 'title', 'description', 'status'];
/** The beginnings of statements about the table. */
const INSERT = /^(?:insert(?: or (?<otherwise>\w+))?|(?<replace>replace)) into todos\b/;
const UPDATE = /^update todos set\b/;
const DELETE = /^delete from todos\b/;

/** Whether a script in SQL may change the table `todos`. */
export function changesTodos(script: string): boolean {
  return statementsIn(script).some((tokens) => {
    const start = startOf(tokens);
    return [INSERT, UPDATE, DELETE].some((statement) => statement.test(start));
  });
}

/** Whether it reads the table: the answer shows todos as they are. */
export function readsTodos(script: string): boolean {
  return statementsIn(script).some((tokens) => {
    const from = tokens.findIndex((token) => nameIn(token) === 'from');
    return nameIn(tokens[0] ?? '') === 'select' && nameIn(tokens[from + 1] ?? '') === 'todos';
  });
}

/**
 * The todos after a script in SQL, as far as it says what it changes in words, and in which of them: what
 * it works out is left as it was.
 */
export function todosAfter(script: string, todos: readonly Json[]): Json[] {
  return statementsIn(script).reduce<Json[]>((before, tokens) => after(before, tokens), [...todos]);
}

function after(todos: Json[], tokens: readonly string[]): Json[] {
  const start = startOf(tokens);
  const insert = INSERT.exec(start);
  if (insert !== null) {
    const { otherwise = '', replace } = insert.groups ?? {};
    const isReplaced = replace !== undefined || otherwise === 'replace';
    return inserted(todos, tokens.slice(insert[0].split(' ').length), isReplaced);
  }
  const where = tokens.findIndex((token) => token.toLowerCase() === 'where');
  const isMeant = conditionIn(where === -1 ? [] : tokens.slice(where + 1));
  if (isMeant === null) return todos;
  if (DELETE.test(start)) return todos.filter((todo) => !isJsonObject(todo) || !isMeant(todo));
  if (!UPDATE.test(start)) return todos;
  const set = listed(tokens.slice(3, where === -1 ? undefined : where)).flatMap(
    ([name = '', is, ...of]) =>
      is === '=' && COLUMNS.includes(nameIn(name)) ? [{ column: nameIn(name), of }] : [],
  );
  return todos.map((todo) => {
    if (!isJsonObject(todo) || !isMeant(todo)) return todo;
    const values = set.flatMap(({ column, of }): [string, string][] => {
      const value = literal(of) ?? caseOf(todo, of);
      return value === null ? [] : [[column, value]];
    });
    return { ...todo, ...Object.fromEntries(values) };
  });
}

/** `CASE id WHEN 'a' THEN 'done' WHEN 'b' THEN 'blocked' ELSE status END`; null for what is worked out otherwise. */
function caseOf(
  todo: JsonObject,
  [start = '', column = '', ...of]: readonly string[],
): string | null {
  if (start.toLowerCase() !== 'case' || !COLUMNS.includes(nameIn(column))) return null;
  const value = columnOf(todo, nameIn(column));
  let at = 0;
  for (; of[at]?.toLowerCase() === 'when'; at += 4) {
    if (literal(of.slice(at + 1, at + 2)) === value) return literal(of.slice(at + 3, at + 4));
  }
  return of[at]?.toLowerCase() === 'else' ? literal(of.slice(at + 1, -1)) : null;
}

/** Several ask about the same script, one after the other. */
const statementsIn = rememberingLast((script): readonly (readonly string[])[] => {
  const statements: string[][] = [[]];
  for (const [token] of script.slice(0, MOST_CHARACTERS).matchAll(TOKEN)) {
    if (token === ';') {
      if (statements.length === MOST_STATEMENTS) break;
      statements.push([]);
    } else if (!token.startsWith('--')) statements.at(-1)?.push(token);
  }
  return statements;
});

function startOf(tokens: readonly string[]): string {
  return tokens
    .slice(0, 5)
    .map((token) => nameIn(token))
    .join(' ');
}

/** `(id, title) VALUES ('a', 'A'), ('b', 'B')`, with or without what is to become of those that are there. */
function inserted(todos: Json[], tokens: readonly string[], isReplaced: boolean): Json[] {
  const isNamed = tokens[0] === '(';
  const end = isNamed ? tokens.indexOf(')') : -1;
  if (tokens[end + 1]?.toLowerCase() !== 'values') return todos;
  const columns = isNamed
    ? listed(tokens.slice(1, end)).map(([name = '']) => nameIn(name))
    : COLUMNS;
  const { rows, rest } = rowsIn(tokens.slice(end + 2));
  const isUpdated = / do update set /i.test(` ${rest.join(' ')} `);
  const list = [...todos];
  const places = new Map(
    list.map((one, at) => [isJsonObject(one) ? columnOf(one, 'id') : null, at]),
  );
  for (const row of rows) {
    const values = columns.flatMap((column, place): [string, string][] => {
      const value = literal(row[place] ?? []);
      return value === null || !COLUMNS.includes(column) ? [] : [[column, value]];
    });
    const todo: JsonObject = Object.fromEntries(values);
    const id = columnOf(todo, 'id');
    if (id === null) continue;
    const place = places.get(id) ?? list.length;
    const before = list[place];
    if (before === undefined || isReplaced)
      list[place] = { ...todo, status: todo.status ?? 'pending' };
    else if (isUpdated && isJsonObject(before)) list[place] = { ...before, ...todo };
    places.set(id, place);
  }
  return list;
}

/** Whether a todo is meant by `id = 'a' OR status != 'done'`; null for what cannot be told. */
function conditionIn(tokens: readonly string[]): ((todo: JsonObject) => boolean) | null {
  if (tokens.length === 0) return () => true;
  const either = divided(tokens, 'or').map((all) => divided(all, 'and').map(comparisonIn));
  const known = either.map((all) => all.filter((comparison) => comparison !== null));
  if (known.some((all, place) => all.length < (either[place]?.length ?? 0))) return null;
  return (todo) => known.some((all) => all.every((comparison) => comparison(todo)));
}

function divided(tokens: readonly string[], by: string): string[][] {
  const parts: string[][] = [[]];
  for (const token of tokens) {
    if (token.toLowerCase() === by) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

function comparisonIn(tokens: readonly string[]): ((todo: JsonObject) => boolean) | null {
  const [column = '', ...said] = tokens;
  const name = nameIn(column);
  if (!COLUMNS.includes(name)) return null;
  const isNot = said[0]?.toLowerCase() === 'not';
  const [is = '', ...of] = isNot ? said.slice(1) : said;
  if (is.toLowerCase() === 'in') {
    const values = of[0] === '(' && of.at(-1) === ')' ? listed(of.slice(1, -1)).map(literal) : [];
    if (values.length === 0 || values.includes(null)) return null;
    return (todo) => values.includes(columnOf(todo, name)) !== isNot;
  }
  const value = literal(of);
  if (value === null) return null;
  if (is.toLowerCase() === 'like') {
    const middle = value.replace(/^%/, '').replace(/%$/, '').toLowerCase();
    if (middle.includes('%')) return null;
    return (todo) => isLike(columnOf(todo, name)?.toLowerCase() ?? '', value, middle) !== isNot;
  }
  if (isNot) return null;
  if (is === '=' || is === '==') return (todo) => columnOf(todo, name) === value;
  return is === '!=' || is === '<>' ? (todo) => columnOf(todo, name) !== value : null;
}

function isLike(text: string, pattern: string, middle: string): boolean {
  const isOpen = { before: pattern.startsWith('%'), behind: pattern.endsWith('%') };
  if (isOpen.before && isOpen.behind) return text.includes(middle);
  if (isOpen.before) return text.endsWith(middle);
  return isOpen.behind ? text.startsWith(middle) : text === middle;
}

function columnOf(todo: JsonObject, column: string): string | null {
  const value = todo[column];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
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

/** Rows in brackets, and what stands behind them. */
function rowsIn(tokens: readonly string[]): { rows: string[][][]; rest: readonly string[] } {
  const rows: string[][][] = [];
  let depth = 0;
  let start = 0;
  for (const [at, token] of tokens.entries()) {
    if (depth === 0 && token !== '(' && token !== ',') return { rows, rest: tokens.slice(at) };
    if (token === '(' && depth++ === 0) start = at + 1;
    if (token === ')' && --depth === 0) rows.push(listed(tokens.slice(start, at)));
  }
  return { rows, rest: [] };
}

/** The name of a column or a table, or a word of the language, in small letters. */
function nameIn(token: string): string {
  return token.replaceAll('"', '').toLowerCase();
}

/** A text or a number by itself; null for anything that is worked out. */
function literal(tokens: readonly string[]): string | null {
  const [token = ''] = tokens;
  if (tokens.length !== 1) return null;
  const [quote = ''] = token;
  if (/^(?:'.*'|".*")$/s.test(token)) return token.slice(1, -1).replaceAll(quote + quote, quote);
  return /^-?\d/.test(token) ? token : null;
}

/** The todos in an answer, each by its id: the tables that it shows have a line for the names of columns. */
export function shownTodos(answer: string): JsonObject[] {
  let columns: string[] = [];
  return answer.split('\n', MOST_LINES).flatMap((line) => {
    const cells = /^\s{0,10}\| .* \|$/.test(line) ? line.trim().slice(2, -2).split(' | ') : null;
    if (cells === null) columns = [];
    else if (columns.length === 0) columns = cells;
    else if (columns.length === cells.length) {
      const shown = columns.flatMap((column, at): [string, string][] =>
        COLUMNS.includes(column) ? [[column, cells[at] ?? '']] : [],
      );
      const todo: JsonObject = Object.fromEntries(shown);
      return todo.id === undefined || todo.status === undefined || todo.id === '---' ? [] : [todo];
    }
    return [];
  });
}
