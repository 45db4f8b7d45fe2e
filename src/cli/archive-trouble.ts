import { ArchiveError } from '../app/ports/archive.ts';
import { plainText } from './terminal/plain-text.ts';

/** Tells on stderr of trouble that ends no command: of an archive in words, of what nobody expects with its stack. */
export function tellTrouble(error: unknown): void {
  console.error(
    error instanceof ArchiveError
      ? plainText(`the archive cannot be used: ${archiveWords(error)}`)
      : error,
  );
}

/** What the file system or the bucket says. */
export function archiveWords({ message, cause }: ArchiveError): string {
  return cause instanceof Error ? cause.message : message;
}
