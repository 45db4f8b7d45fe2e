import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { type Archive, ArchiveError } from '../../app/ports/archive.ts';
import { whyNot } from './s3-error.ts';

/** Of a connection in which nothing moves, in milliseconds; it is tried once more. */
const IDLE_MS = 15_000;
const CONNECT_MS = 5_000;
const ATTEMPTS = 2;
/** Of one file whatever moves: the largest have some 100 MB. */
const WHOLE_MS = 300_000;

type S3Place = { bucket: string; prefix: string };

type Sdk = typeof import('@aws-sdk/client-s3');
type Connection = { sdk: Sdk; client: S3Client };

/**
 * An archive in a bucket of S3, or of what speaks its protocol. Key, region and address are those of the SDK's
 * own environment; the SDK is loaded with the first file. The bucket has to be there.
 */
export class S3Archive implements Archive {
  readonly place: string;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #idleMs: number;
  #connection: Promise<Connection> | null = null;

  constructor({ bucket, prefix }: S3Place, { idleMs = IDLE_MS } = {}) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#idleMs = idleMs;
    this.place = `s3://${[bucket, prefix].filter((part) => part !== '').join('/')}`;
  }

  /** Nothing to do: a bucket that is not there is a mistake in its name more often than one to make. */
  async prepare(): Promise<void> {}

  async write(file: string, bytes: Uint8Array): Promise<void> {
    await this.#reaching(async ({ sdk, client }, abortSignal) => {
      const object = this.#object(file);
      const put = new sdk.PutObjectCommand({
        ...object,
        Body: bytes,
        ContentLength: bytes.length,
        ContentType: 'application/gzip',
      });
      const { VersionId } = await client.send(put, { abortSignal });
      if (!isVersion(VersionId)) return;
      await client.send(new sdk.DeleteObjectCommand({ ...object, VersionId }), { abortSignal });
      throw new KeepsVersionsError();
    });
  }

  async read(file: string, bytes: number): Promise<Uint8Array | null> {
    return this.#reaching(async ({ sdk, client }, abortSignal) => {
      try {
        const get = new sdk.GetObjectCommand(this.#object(file));
        return await wholeBody(await client.send(get, { abortSignal }), bytes);
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return null;
        throw error;
      }
    });
  }

  async remove(file: string): Promise<void> {
    await this.#reaching(async ({ sdk, client }, abortSignal) => {
      const remove = new sdk.DeleteObjectCommand(this.#object(file));
      try {
        const { DeleteMarker } = await client.send(remove, { abortSignal });
        if (DeleteMarker === true) throw new KeepsVersionsError();
      } catch (error) {
        // Not every server takes it as done.
        if (!(error instanceof sdk.NoSuchKey)) throw error;
      }
    });
  }

  #object(file: string) {
    const name = `${file}.jsonl.gz`;
    return { Bucket: this.#bucket, Key: this.#prefix === '' ? name : `${this.#prefix}/${name}` };
  }

  async #reaching<T>(
    work: (connection: Connection, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      this.#connection ??= connect(this.#idleMs);
      return await work(await this.#connection, AbortSignal.timeout(WHOLE_MS));
    } catch (error) {
      if (error instanceof ArchiveError) throw error;
      throw new ArchiveError('unavailable', whyNot(error, this.#bucket));
    }
  }
}

/** Throws ArchiveError for a body of another length, and cuts off one that goes on. */
async function wholeBody({ Body }: GetObjectCommandOutput, bytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let come = 0;
  if (Body instanceof Readable) {
    for await (const piece of Body) {
      pieces.push(piece);
      come += piece.length;
      if (come > bytes) break;
    }
  }
  if (come !== bytes) throw new ArchiveError('damaged');
  return Buffer.concat(pieces);
}

async function connect(idleMs: number): Promise<Connection> {
  const sdk = await import('@aws-sdk/client-s3');
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  const client = new sdk.S3Client({
    // A server of one's own rarely has a name for each bucket.
    forcePathStyle: Boolean(AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL),
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: idleMs },
    // The name is a better one, and not every server knows those of Amazon.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return { sdk, client };
}

/** A bucket that once kept versions calls what it keeps none of `null`. */
function isVersion(id: string | undefined): boolean {
  return id !== undefined && id !== 'null';
}

/** What is removed from such a bucket stays in it. */
class KeepsVersionsError extends Error {
  override readonly name = 'KeepsVersions';
}
