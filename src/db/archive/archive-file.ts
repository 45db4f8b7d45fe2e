import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { ArchiveError, type IdleSession } from '../../app/ports/archive.ts';
import type { EventStore, RestoredSession } from '../../app/ports/event-store.ts';
import { Slices } from '../../app/slices.ts';
import { exportParts } from '../export-parts.ts';
import { ExportError, readingExport } from '../session-export.ts';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** A file of the archive, named by the SHA-256 of its bytes. */
type ArchiveFile = { name: string; bytes: Uint8Array };

const NONCE_BYTES = 16;
/** Gzip ends with the length of what it has packed (RFC 1952). */
const GZIP_LENGTH_BYTES = 4;
/** What a text can hold with room to spare; a larger session stays in the store. */
const MOST_CHARACTERS = 256_000_000;

/**
 * The export of a session, compressed; null when the session has changed or is too large for a file. A line
 * of random numbers in front sees to it that no two files have one name, whatever they hold.
 */
export async function pack(
  store: EventStore,
  { ref, version }: IdleSession,
): Promise<ArchiveFile | null> {
  const texts: string[] = [];
  let characters = 0;
  let written = 0;
  for await (const part of exportParts(store, ref, version)) {
    texts.push(texts.length === 0 ? withNonce(part.text) : part.text);
    characters += part.text.length;
    written = part.version;
    if (characters > MOST_CHARACTERS) return null;
  }
  if (written !== version) return null;
  const bytes = await zip(texts.join(''));
  return { name: nameOf(bytes), bytes };
}

/** Bytes of what the file was packed from, as the file says; nothing of it is checked. */
export function unpackedBytes(file: Uint8Array): number {
  const { buffer, byteOffset, byteLength } = file;
  if (byteLength < GZIP_LENGTH_BYTES) return 0;
  const at = byteLength - GZIP_LENGTH_BYTES;
  return new DataView(buffer, byteOffset, byteLength).getUint32(at, true);
}

function withNonce(header: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  return `${JSON.stringify({ ...JSON.parse(header), nonce })}\n`;
}

/**
 * The session of a file. Throws ArchiveError for bytes that are not what this name was given to, or not of
 * this session as it was archived.
 */
export async function unpack(
  bytes: Uint8Array,
  name: string,
  { ref, version, hash }: IdleSession,
): Promise<RestoredSession> {
  if (nameOf(bytes) !== name) throw new ArchiveError('damaged');
  const reading = readingExport((await unzip(bytes)).toString('utf8'));
  try {
    const slices = new Slices();
    for (;;) {
      const { done, value } = reading.next();
      if (done) {
        const isIts = value.ref.tenant === ref.tenant && value.ref.session_id === ref.session_id;
        const { rows, projections } = value;
        if (!isIts || rows.length !== version || projections.hash !== hash) {
          throw new ArchiveError('damaged');
        }
        return { rows, ...projections };
      }
      if (slices.isOver) await slices.next();
    }
  } catch (error) {
    throw error instanceof ExportError ? new ArchiveError('damaged', error) : error;
  }
}

function nameOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
