import type { State } from '../../domain/context/standing.ts';
import type { SearchFilters, SearchScope } from '../ports/search-index.ts';
import type { Hit, Standpoint } from './hits.ts';

/** What both ways of searching work with. */
export type SearchTask = {
  scopes: readonly SearchScope[];
  filters: SearchFilters;
  state: State | undefined;
  standpoint: Standpoint;
  limit: number;
  cursor: string | undefined;
  /** Ids of sessions whose files the archive has lost, as they are found: they are left out. */
  lost: Set<string>;
};

/** `is_complete` is false when more may be found than was looked at. */
export type SearchAnswer = { data: Hit[]; next_cursor: string | null; is_complete: boolean };
