import type { IndexQuery } from '../../app/ports/search-index.ts';
import type { Lookup } from '../../domain/search/query.ts';
import { tenantToken } from '../search.ts';

/** Stands in each block of a session. No text has such a token. */
export function sessionToken(sessionOrder: number): string {
  return `session\u00a7${sessionOrder}`;
}

/** Blocks in which all tokens stand, as a tsquery. Which documents have them is seen by their positions. */
export function blockQuery(
  tenant: string,
  sessionOrder: number | null,
  all: IndexQuery['all'],
): string {
  const scope = sessionOrder === null ? tenantToken(tenant) : sessionToken(sessionOrder);
  return [quoted(scope), ...all.map((lookups) => `(${lookups.map(allOf).join(' | ')})`)].join(
    ' & ',
  );
}

function allOf({ tokens, prefixes }: Lookup): string {
  return `(${[...tokens.map(quoted), ...prefixes.map((prefix) => `${quoted(prefix)}:*`)].join(' & ')})`;
}

/** Tokens are letters, digits and marks; what else could come is escaped all the same. */
export function quoted(token: string): string {
  return `'${token.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** What has to be read of a block to answer the lookups. */
export function lexemesOf(lookups: readonly Lookup[]): { tokens: string[]; prefixes: string[] } {
  return {
    tokens: lookups.flatMap(({ tokens }) => tokens),
    prefixes: lookups.flatMap(({ prefixes }) => prefixes),
  };
}

/** A lexeme of a block, and which of its documents (from 1) have it. */
export type Positions = { first_id: number; lexeme: string; positions: readonly number[] };

/** The ids of the documents that have one of each of `all`, and none of `none`. */
export function documentsIn(
  rows: readonly Positions[],
  all: IndexQuery['all'],
  none: IndexQuery['none'],
): number[] {
  const blocks = new Map<number, Positions[]>();
  for (const row of rows) {
    const block = blocks.get(row.first_id);
    if (block === undefined) blocks.set(row.first_id, [row]);
    else block.push(row);
  }
  return [...blocks].flatMap(([firstId, lexemes]) => {
    const [first = new Set<number>(), ...others] = all.map((lookups) => anyOf(lexemes, lookups));
    const excluded = anyOf(lexemes, none);
    return [...first]
      .filter((place) => !excluded.has(place) && others.every((places) => places.has(place)))
      .map((place) => firstId + place - 1);
  });
}

function anyOf(lexemes: readonly Positions[], lookups: readonly Lookup[]): Set<number> {
  return new Set(lookups.flatMap((lookup) => [...placesOf(lexemes, lookup)]));
}

function placesOf(lexemes: readonly Positions[], { tokens, prefixes }: Lookup): Set<number> {
  const [first = new Set<number>(), ...others] = [
    ...tokens.map((token) => where(lexemes, (lexeme) => lexeme === token)),
    ...prefixes.map((prefix) => where(lexemes, (lexeme) => lexeme.startsWith(prefix))),
  ];
  return new Set([...first].filter((place) => others.every((places) => places.has(place))));
}

function where(lexemes: readonly Positions[], fits: (lexeme: string) => boolean): Set<number> {
  return new Set(lexemes.flatMap(({ lexeme, positions }) => (fits(lexeme) ? positions : [])));
}
