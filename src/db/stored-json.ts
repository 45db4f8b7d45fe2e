import { StoreTroubleError } from '../app/ports/store-trouble-error.ts';

/** What `parse` makes of JSON that the store keeps. Throws StoreTroubleError where it is none: only damage does that. */
export function ofStored<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new StoreTroubleError('damaged', error);
  }
}
