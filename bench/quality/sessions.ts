import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { importedItems } from '../../src/app/import-batches.ts';
import { codecFor } from '../../src/domain/items/codecs.ts';
import type { Item, Normalised } from '../../src/domain/items/item.ts';
import { readTranscripts, textOf } from '../../src/importers/read-transcripts.ts';
import { type Transcript, TranscriptError } from '../../src/importers/transcript.ts';
import { type Probe, probesBeside } from './probes.ts';
import { tokensOf } from './tokens.ts';

/** A recorded conversation that is measured. */
export type Session = {
  /** The file it stands in, relative to the folder asked for; numbered when a file holds several. */
  name: string;
  path: string;
  /** What recorded it, such as `claude-code`. */
  kind: string;
  format: Transcript['format'];
  items: Item[];
  normalised: Normalised[];
  /** Tokens of each item by the default estimate. */
  tokens: number[];
  /** Questions about the chat, where some lie beside it. */
  probes: Probe[];
};

/** The files of a path that may hold sessions, sorted; a file is itself. Throws when there is none. */
export function filesBelow(path: string): { folder: string; files: string[] } {
  if (!existsSync(path)) throw new NoSessionsError(`There is nothing at ${path}.`);
  if (statSync(path).isFile()) return { folder: join(path, '..'), files: [basename(path)] };
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl|json|traj|ndjson)(?:\.gz)?$/.test(entry.name))
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    .filter((file) => basename(file) !== 'MANIFEST.json');
  if (files.length === 0) throw new NoSessionsError(`No transcript lies below ${path}.`);
  return { folder: path, files: files.sort() };
}

/** There is nothing to measure; the message says where it was looked for. */
export class NoSessionsError extends Error {
  override readonly name = 'NoSessionsError';
}

/** The conversations of a file; none when it holds something else. */
export function sessionsIn(folder: string, file: string): Session[] {
  const path = join(folder, file);
  const transcripts = transcriptsIn(path, textOf(file, readFileSync(path)));
  return transcripts.map((transcript, index) => {
    const name = transcripts.length === 1 ? file : `${file}#${index + 1}`;
    return { ...sessionOf(transcript), name, path, probes: probesBeside(path) };
  });
}

/** The same of the text of a file, or of a part of it. */
export function transcriptsIn(path: string, text: string): Transcript[] {
  try {
    return readTranscripts(basename(path), text);
  } catch (error) {
    if (error instanceof TranscriptError) return [];
    throw error;
  }
}

/** What is measured of a transcript, without the usage that was recorded. */
export function sessionOf(transcript: Transcript): Omit<Session, 'name' | 'path' | 'probes'> {
  const { format } = transcript;
  const codec = codecFor(format);
  const items = importedItems(transcript);
  return {
    kind: kindOf(transcript),
    format,
    items,
    normalised: items.map((item) => codec.normalise(item)),
    tokens: items.map((item) => tokensOf(format, item)),
  };
}

/** Agents whose logs are plain chat messages are told by nothing but that somebody's shell answers. */
function kindOf({ source, items }: Transcript): string {
  if (source !== 'openai-chat') return source;
  const isShell = items.some((item) => String(item.content).startsWith('<returncode>'));
  return isShell ? 'swe-agent' : source;
}
