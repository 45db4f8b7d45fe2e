import type { Logger } from 'pino';
import type { SearchTold } from '../app/search/search-told.ts';
import type { Measurement } from './catalogue.ts';

/** What is measured of each search, and what the operator has to know of it. */
export function searchObserver(
  record: (measurement: Measurement) => void,
  log: Logger,
): (told: SearchTold) => void {
  return (told) => {
    record(measurementOfSearch(told));
    if (told.lost.length > 0) {
      log.warn(
        { session_ids: told.lost },
        'a search has left out sessions whose files the archive has lost',
      );
    }
  };
}

function measurementOfSearch({ scope, way, seconds }: SearchTold): Measurement {
  return { metric: 'palimpsest_search_duration_seconds', labels: { scope, way }, value: seconds };
}
