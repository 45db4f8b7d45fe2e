import { fsyncSync, linkSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storedSecret } from '../src/stored-secret.ts';

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return { ...fs, fsyncSync: vi.fn(fs.fsyncSync), linkSync: vi.fn(fs.linkSync) };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-secret-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const database = () =>
  ({ kind: 'sqlite', path: join(folder, 'test.db'), synchronous: 'FULL' }) as const;

function fails(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

describe('the secret beside the database', () => {
  it('is made once', () => {
    const secret = storedSecret(database(), true);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(storedSecret(database(), true)).toBe(secret);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('leaves nothing behind where the disk is full or files cannot be linked', () => {
    vi.mocked(fsyncSync).mockImplementationOnce(fails('ENOSPC'));
    expect(() => storedSecret(database(), true)).toThrow('ENOSPC');
    expect(readdirSync(folder)).toEqual([]);
    vi.mocked(linkSync).mockImplementationOnce(fails('EPERM'));
    expect(() => storedSecret(database(), true)).toThrow('EPERM');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is that of whoever wrote it first', () => {
    const first: (string | null)[] = [];
    vi.mocked(linkSync).mockImplementationOnce(() => {
      first.push(storedSecret(database(), true));
      fails('EEXIST')();
    });
    expect(storedSecret(database(), true)).toBe(first[0]);
    expect(readdirSync(folder)).toHaveLength(1);
  });
});
