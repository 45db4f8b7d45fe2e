import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { missingPart, type OptionalPart } from '../src/optional-parts.ts';
import { ROOT, readText } from './house/sources.ts';

const parts: [OptionalPart, string, string][] = [
  ['models', 'ai, @ai-sdk/anthropic', 'npm install ai@6 @ai-sdk/anthropic@3'],
  ['queue', 'bullmq, ioredis', 'npm install bullmq@6 ioredis@5'],
  ['bucket', '@aws-sdk/client-s3', 'npm install @aws-sdk/client-s3@3'],
  ['tokenizers', 'gpt-tokenizer', 'npm install gpt-tokenizer@4'],
  ['traces', '@opentelemetry/api, @opentelemetry/core', 'npm install @opentelemetry/api@1'],
];

describe('optional parts', () => {
  test.each(parts)('%s: says what to install', (part, names, command) => {
    const message = missingPart(part, () => false);
    expect(message).toContain(names);
    expect(message).toContain(command);
    expect(missingPart(part, (name) => name.startsWith('never'))).toBe(message);
    // Here they are, for the tests.
    expect(missingPart(part)).toBeNull();
  });

  test('names only what is missing, in releases that were tried', () => {
    const { devDependencies, peerDependenciesMeta } = z
      .object({
        devDependencies: z.record(z.string(), z.string()),
        peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
      })
      .parse(JSON.parse(readText('package.json')));
    expect(missingPart('queue', (name) => name !== 'ioredis')).toMatch(
      /^the package ioredis is not installed/,
    );
    for (const [part] of parts) {
      const command = /"npm install (.*)"/.exec(missingPart(part, () => false) ?? '')?.[1] ?? '';
      for (const [, name = '', major = ''] of command.matchAll(/(\S+)@(\d+)/g)) {
        expect(peerDependenciesMeta).toHaveProperty([name]);
        expect(devDependencies[name]).toMatch(new RegExp(`^${major}\\.`));
      }
    }
  });

  test('the image installs these packages and no others, in the releases of the lock', () => {
    const commands = parts.map(([part]) => missingPart(part, () => false) ?? '');
    const named = commands.flatMap((text) =>
      [...text.matchAll(/(\S+)@\d/g)].map(([, name]) => name),
    );
    const printed = execFileSync('node', [join(ROOT, 'scripts/optional-parts.mjs')], {
      encoding: 'utf8',
    });
    const installed = printed.trim().split(' ');
    expect(installed.map((one) => one.replace(/@\d+\.\d+\.\d+$/, '')).sort()).toEqual(named.sort());
  });
});
