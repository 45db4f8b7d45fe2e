import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scryptSync,
} from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { type Ledger, ledgerSchema } from '../domain/ledger/ledger.ts';

/** A key of the API, and the tenant that it stands for. */
type ApiKey = { name: string; key: string };

/** What our content begins with; the number is the version of all that follows it. */
const PREFIX = 'pal1.';
const ANY_VERSION = /^pal\d+\./;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const payload = z.object({
  items: z.array(z.custom<JsonObject>(isJsonObject)),
  /** One of another version is not read. */
  ledger: ledgerSchema.optional().catch(undefined),
  session_id: z.string().optional(),
});

/** What a content stands for: items, what the log behind them says, and the session that has it. */
type Opened = {
  items: Item[];
  ledger?: Ledger | undefined;
  session_id?: string | undefined;
};

/** Content that cannot be used; the message says why. */
export class OpaqueContentError extends Error {
  override readonly name = 'OpaqueContentError';
  readonly code: 'unreadable' | 'too_large';

  constructor(code: 'unreadable' | 'too_large', message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether something of ours may stand in the JSON of a request; a look at its bytes alone. */
export function mayHoldOurs(json: Uint8Array): boolean {
  const { buffer, byteOffset, byteLength } = json;
  return Buffer.from(buffer, byteOffset, byteLength).includes('"pal', 0, 'latin1');
}

/** Whether a text claims to be content of ours, of this or another version. */
export function isOurContent(text: string): boolean {
  return ANY_VERSION.test(text);
}

/**
 * Items as a text that only this service can read, and only for the tenant that it was made for:
 * compressed, then AES-256-GCM with the tenant's name as additional data. The text is
 * `pal1.` and nonce, tag and ciphertext in base64url.
 */
export class OpaqueContent {
  /** The first seals; all of them open. */
  readonly #keys: (() => Buffer)[];

  /**
   * `secret`: the operator's, else the keys of the API are one, else the stored one, else this process
   * makes one up. What was sealed with one that has lost its place can still be opened.
   */
  constructor(secret: string | null, keys: readonly ApiKey[], stored: string | null = null) {
    const ikms = [
      ...(secret === null ? [] : [() => Buffer.from(secret, 'utf8')]),
      ...(keys.length === 0 ? [] : [() => secretOfKeys(keys)]),
      ...(stored === null ? [] : [() => Buffer.from(stored, 'utf8')]),
    ];
    const all = ikms.length === 0 ? [() => randomBytes(KEY_BYTES)] : ikms;
    this.#keys = all.map((ikm) => madeOnce(() => encryptionKey(ikm())));
  }

  /**
   * Throws OpaqueContentError when the items take more than `maxBytes` of JSON; a ledger that does not
   * fit beside them is left out.
   */
  async seal(tenant: string, content: Opened, maxBytes: number): Promise<string> {
    const { items, ledger, session_id } = content;
    const whole = Buffer.from(JSON.stringify({ items, ledger, session_id }), 'utf8');
    const isWhole = whole.byteLength <= maxBytes;
    const plain = isWhole ? whole : Buffer.from(JSON.stringify({ items, session_id }), 'utf8');
    if (plain.byteLength > maxBytes) throw tooLarge(maxBytes);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#sealingKey(), nonce, {
      authTagLength: TAG_BYTES,
    });
    cipher.setAAD(boundTo(tenant));
    const sealed = Buffer.concat([cipher.update(await deflate(plain)), cipher.final()]);
    return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /**
   * What stands in a text that `seal` made for this tenant, and their size in bytes of JSON. Throws
   * OpaqueContentError: not ours, changed, for somebody else, or larger than `maxBytes`.
   */
  async open(tenant: string, text: string, maxBytes: number): Promise<Opened & { bytes: number }> {
    const plain = await inflated(this.#decrypted(tenant, text), maxBytes);
    const opened = payload.parse(JSON.parse(plain.toString('utf8')));
    return { ...opened, bytes: plain.byteLength };
  }

  /** A text that names a credential and tells nothing of it, the same as long as the key is. */
  fingerprint(credential: string): string {
    return createHmac('sha256', this.#sealingKey()).update(credential).digest('base64url');
  }

  #decrypted(tenant: string, text: string): Buffer {
    if (!text.startsWith(PREFIX)) {
      throw new OpaqueContentError(
        'unreadable',
        'its version is one that this service cannot read',
      );
    }
    const encoded = text.slice(PREFIX.length);
    const bytes = Buffer.from(encoded, 'base64url');
    // Decoding passes over what is no base64url: such a text is not the one that was made.
    const isWhole = bytes.byteLength > NONCE_BYTES + TAG_BYTES;
    if (!isWhole || bytes.toString('base64url') !== encoded) throw changed();
    for (const key of this.#keys) {
      const plain = decrypted(bytes, key(), tenant);
      if (plain !== null) return plain;
    }
    throw changed();
  }

  #sealingKey(): Buffer {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is always a key');
    return key();
  }
}

/** Null when it was sealed with another key, for another tenant, or changed. */
function decrypted(bytes: Buffer, key: Buffer, tenant: string): Buffer | null {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(boundTo(tenant));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(sealed), decipher.final()]);
  } catch {
    return null;
  }
}

function encryptionKey(ikm: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', ikm, '', 'palimpsest compaction content 1', KEY_BYTES));
}

/** Made when it is first needed: slow on purpose where it comes from the keys of the API. */
function madeOnce(make: () => Buffer): () => Buffer {
  let key: Buffer | null = null;
  return () => {
    key ??= make();
    return key;
  };
}

/**
 * Whoever holds a content could try out guesses at the keys of others with it: each guess is to cost
 * as much as a guess at a password.
 */
function secretOfKeys(keys: readonly ApiKey[]): Buffer {
  const sorted = keys.map(({ name, key }) => JSON.stringify([name, key])).sort();
  return scryptSync(sorted.join('\n'), 'palimpsest compaction content', KEY_BYTES);
}

function boundTo(tenant: string): Buffer {
  return Buffer.from(PREFIX + tenant, 'utf8');
}

async function inflated(compressed: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await inflate(compressed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    const isTooLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge(maxBytes) : error;
  }
}

function changed(): OpaqueContentError {
  return new OpaqueContentError(
    'unreadable',
    'it was changed, or it was made under another API key, with another ' +
      'PALIMPSEST_COMPACTION_SECRET, or by another service',
  );
}

function tooLarge(maxBytes: number): OpaqueContentError {
  return new OpaqueContentError(
    'too_large',
    `expanded, it takes more than ${maxBytes} bytes of JSON`,
  );
}
