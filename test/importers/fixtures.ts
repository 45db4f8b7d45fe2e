import { readFileSync } from 'node:fs';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import type { Transcript } from '../../src/importers/transcript.ts';

export function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`../fixtures/transcripts/${name}`, import.meta.url));
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function jsonLines(values: unknown[]): Uint8Array {
  return bytesOf(values.map((value) => JSON.stringify(value)).join('\n'));
}

/** The only conversation of a file. */
export function readOne(name: string, bytes: Uint8Array): Transcript {
  const [transcript, ...others] = readTranscripts(name, bytes);
  if (!transcript || others.length > 0) {
    throw new Error(`${name}: ${others.length + (transcript ? 1 : 0)} conversations instead of 1`);
  }
  return transcript;
}

export function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
