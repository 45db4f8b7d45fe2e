import type { z } from '@hono/zod-openapi';
import {
  type BodiesOfSessions,
  type BodyOutline,
  type KnownBeginning,
  keptBody,
  MOST_PLACES,
} from '../../app/known-bodies.ts';
import { bytesTo, hasMark, readKnownRest } from '../../app/known-rest.ts';
import { BEGINNING, type TellingStart, ToldChain } from '../../app/told-chain.ts';
import { elementsOf } from '../../domain/gateway/element-ends.ts';
import { isJsonObject, jsonObjectIn } from '../../domain/json.ts';
import { type BodyLimits, type BytesBody, jsonOf, textOf } from '../http/json-body.ts';
import { syncBody } from './schemas.ts';

/** The field that holds the history. */
const HISTORY = 'items';
/** What is shorter is read as a whole as quickly, in bytes. */
const LEAST_BYTES = 65_536;

/** A sync that was asked for; `asked.items` are those of the history behind `start`. */
export type ReadSync = {
  asked: z.infer<typeof syncBody>;
  start: TellingStart;
  /** What the next body may begin like; null: nothing that would be quicker than to read all of it. */
  outline: () => BodyOutline | null;
  beginning: KnownBeginning | null;
};

/**
 * What a sync asks for whose body begins like the one before in its session, of which only the rest is
 * read. Null for every other, and for one that has to be refused.
 */
export async function readKnownSync(
  bodies: Pick<BodiesOfSessions, 'beginning'>,
  session: string,
  { kind, bytes }: BytesBody,
): Promise<ReadSync | null> {
  const beginning = kind === 'json' ? await bodies.beginning(session, bytes) : null;
  const rest = beginning && readKnownRest(bytes, beginning, HISTORY);
  if (beginning === null || rest === null) return null;
  const parsed = syncBody.safeParse({ ...beginning.fields, ...rest.fields });
  if (!parsed.success) return null;
  const { start } = beginning.place;
  const outline = () => rest.outline(new ToldChain(start).add(rest.items));
  return { asked: parsed.data, start, outline, beginning };
}

/** What a sync asks for. Throws ProblemError, and ElsewhereError where that is too much to read here. */
export function readWholeSync(body: BytesBody, limits: BodyLimits): ReadSync {
  const raw = textOf(body, limits);
  const asked = jsonOf(raw, limits, syncBody);
  const isPlain = body.bytes.byteLength >= LEAST_BYTES && !hasMark(body.bytes);
  const outline = () => (isPlain ? outlineOf(raw.text, asked.items) : null);
  return { asked, start: BEGINNING, outline, beginning: null };
}

/** Keeps what the next body of the session may begin like. */
export async function keepSync(
  bodies: Pick<BodiesOfSessions, 'keep'>,
  session: string,
  { bytes }: BytesBody,
  { outline, beginning }: ReadSync,
): Promise<void> {
  const own = outline();
  if (own !== null) bodies.keep(session, await keptBody(bytes, own, beginning));
}

function outlineOf(text: string, items: ReadSync['asked']['items']): BodyOutline | null {
  if (!items.every(isJsonObject)) return null;
  const chain = new ToldChain(BEGINNING).add(items);
  const starts = chain.starts.filter((start) => start.items < items.length).slice(-MOST_PLACES);
  const elements = starts.length === 0 ? null : elementsOf(text, HISTORY);
  const before = elements && jsonObjectIn(`${text.slice(0, elements.start)}[]}`);
  if (elements === null || before === null) return null;
  const { [HISTORY]: _, ...fields } = before;
  return {
    fields,
    names: Object.keys(before),
    history_at: elements.start,
    told: chain.told,
    places: starts.map((start) => ({
      start,
      end: bytesTo(text, elements.ends[start.items - 1] ?? 0),
    })),
  };
}
