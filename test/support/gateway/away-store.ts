import type { SearchableStore } from '../../../src/app/ports/search-index.ts';
import { StoreUnavailableError } from '../../../src/app/ports/store-unavailable-error.ts';

/** A store that nobody can reach. */
export function awayStore(): SearchableStore {
  const away = () => Promise.reject(new StoreUnavailableError('not_written', new Error('away')));
  const store: Partial<SearchableStore> = {
    head: away,
    commit: away,
    events: away,
    gatewayKeys: { find: away, note: away, items: away },
    close: async () => {},
  };
  // Whatever else is asked of it does not exist, and throws as well.
  return store as SearchableStore;
}
