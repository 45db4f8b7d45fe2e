import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * What the service runs without until it is asked for. The packages are optional peers: `npm ci` in the
 * repository and the image bring them, `npm install palimpsest` does not.
 */
const PARTS = {
  models: {
    packages: [
      'ai',
      '@ai-sdk/anthropic',
      '@ai-sdk/google',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
    ],
    install:
      'ai@6 @ai-sdk/anthropic@3 @ai-sdk/google@3 @ai-sdk/openai@3 @ai-sdk/openai-compatible@2',
  },
  queue: {
    packages: ['bullmq', 'ioredis', '@bull-board/api', '@bull-board/hono', '@bull-board/ui'],
    install: 'bullmq@6 ioredis@5 @bull-board/api@9 @bull-board/hono@9 @bull-board/ui@9',
  },
  bucket: { packages: ['@aws-sdk/client-s3'], install: '@aws-sdk/client-s3@3' },
  tokenizers: { packages: ['gpt-tokenizer'], install: 'gpt-tokenizer@4' },
  traces: {
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
    ],
    install:
      '@opentelemetry/api@1 @opentelemetry/core@2 @opentelemetry/exporter-trace-otlp-http@0.223 @opentelemetry/resources@2 @opentelemetry/sdk-trace-base@2',
  },
} as const;

export type OptionalPart = keyof typeof PARTS;

/** What to do about packages that are not installed; null when all of the part are. */
export function missingPart(
  part: OptionalPart,
  isInstalled: (name: string) => boolean = isHere,
): string | null {
  const { packages, install } = PARTS[part];
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return null;
  const [verb, noun] = missing.length === 1 ? ['is', 'package'] : ['are', 'packages'];
  return `the ${noun} ${missing.join(', ')} ${verb} not installed: run "npm install ${install}"`;
}

/** By its folder: what a package exports need not be readable from here. */
function isHere(name: string): boolean {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(join(folder, name, 'package.json')));
}
