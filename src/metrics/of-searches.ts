import type { SearchTold } from '../app/search/search-told.ts';
import type { Measurement } from './catalogue.ts';

/** What is measured of one search. */
export function measurementOfSearch({ scope, way, seconds }: SearchTold): Measurement {
  return { metric: 'palimpsest_search_duration_seconds', labels: { scope, way }, value: seconds };
}
