import type { Format } from '../../domain/items/codecs.ts';
import type { Item } from '../../domain/items/item.ts';
import type { Outcome } from '../../domain/session/errors.ts';

/** One conversation of a file, as an importer has read it. */
export type ReadTranscript = {
  /** Fit for a session id. */
  name: string;
  /** The kind of file, such as `claude-code`. */
  source: string;
  format: Format;
  model: string | null;
  profile?: string;
  contextWindow?: number;
  items: Item[];
};

/**
 * Reads the conversations of a file, by what is in it. Rejects with invalid_request what is none, and what
 * comes to more bytes or JSON values, unpacked.
 */
export type ReadTranscripts = (
  fileName: string,
  file: Uint8Array,
  most: { bytes: number; values: number },
) => Outcome<ReadTranscript[]>;
