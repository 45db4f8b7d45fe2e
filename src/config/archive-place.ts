import { resolve } from 'node:path';
import { SettingsError } from './settings-error.ts';

/** Where an archive is; `text` is how people read and write it. */
export type ArchivePlace =
  | { kind: 'folder'; text: string; folder: string }
  | { kind: 'bucket'; text: string; bucket: string; prefix: string };

/** As S3 has it, and servers that take longer names or capitals. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** What needs no escape anywhere. */
const PREFIX = /^[A-Za-z0-9._/-]*$/;

/**
 * The place that a setting or an option names: a folder, or `s3://bucket/prefix`; null where it is not set.
 * Throws SettingsError.
 */
export function archivePlace(name: string, text: string): ArchivePlace;
export function archivePlace(name: string, text: string | undefined): ArchivePlace | null;
export function archivePlace(name: string, text: string | undefined): ArchivePlace | null {
  if (text === undefined) return null;
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(text)?.[1];
  if (scheme === undefined && !isMistyped(text)) {
    const folder = resolve(text);
    return { kind: 'folder', text: folder, folder };
  }
  const [bucket = '', ...path] = text.replace(/^[^/]*:\/\//, '').split('/');
  const prefix = path.join('/').replace(/^\/+|\/+$/g, '');
  if (scheme?.toLowerCase() !== 's3' || !BUCKET.test(bucket) || !PREFIX.test(prefix)) {
    throw new SettingsError(
      // Not what was given: it may hold a password.
      `${name}: must be a folder, or a bucket such as s3://bucket/prefix, of letters, digits, ".", "_", ` +
        '"-" and "/"; keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  return { kind: 'bucket', text: `s3://${bucket}${prefix && `/${prefix}`}`, bucket, prefix };
}

/** `s3:/bucket`, or the `file:` of DATABASE_URL: as a folder they would keep sessions where nobody looks. */
function isMistyped(text: string): boolean {
  return /^(?:s3|file):/i.test(text);
}
