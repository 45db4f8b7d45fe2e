import type { ReadTranscripts } from './app/ports/transcripts.ts';
import { accept, reject } from './domain/session/errors.ts';
import { readTranscripts } from './importers/read-transcripts.ts';
import { TranscriptError } from './importers/transcript.ts';

/** The importers, for those who are not to know them. */
export const readImported: ReadTranscripts = (fileName, file, most) => {
  try {
    return accept(readTranscripts(fileName, file, most));
  } catch (error) {
    if (error instanceof TranscriptError) return reject('invalid_request', error.message);
    throw error;
  }
};
