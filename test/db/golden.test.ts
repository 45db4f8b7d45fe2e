import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventRow } from '../../src/app/ports/event-store.ts';
import { decodeEvent, eventHash, FIRST_PREVIOUS_HASH } from '../../src/db/event-codec.ts';
import { renderEntries } from '../../src/domain/context/render.ts';
import { foldView, type ViewSource } from '../../src/domain/context/view.ts';
import {
  EVENT_SCHEMA_VERSION,
  EVENT_TYPES,
  type EventOf,
  eventSchemas,
} from '../../src/domain/session/events.ts';
import { evolve } from '../../src/domain/session/evolve.ts';
import type { Head } from '../../src/domain/session/head.ts';

function read(name: string): string {
  return readFileSync(new URL(`../fixtures/golden/${name}`, import.meta.url), 'utf8');
}

function rowsOf(version: number): EventRow[] {
  const rowSchema = z.object({
    version: z.number(),
    type: z.string(),
    at: z.string(),
    schema_version: z.literal(version),
    data: z.string(),
    hash: z.string(),
  });
  return read(`events-v${version}.jsonl`)
    .trim()
    .split('\n')
    .map((line) => rowSchema.parse(JSON.parse(line)));
}

/**
 * Logs of every released schema version load for ever: these files are never written again. A new
 * schema version adds a pair of files and an upcast.
 */
describe.each([1, 2, 3])('golden log of schema version %i', (version) => {
  const rows = rowsOf(version);
  const events = rows.map(decodeEvent);

  it('keeps its hash chain', () => {
    let previous = FIRST_PREVIOUS_HASH;
    for (const row of rows) {
      expect(eventHash(previous, { tenant: 'acme', session_id: 'lab' }, row)).toBe(row.hash);
      previous = row.hash;
    }
  });

  it('has the shape that is read today', () => {
    for (const event of events) eventSchemas[event.type].parse(event.data);
  });

  it('folds into the same context as on the day it was written', () => {
    let head: Head | null = null;
    for (const event of events) head = evolve(head, event);
    const [created] = events;
    if (created?.type !== 'session.created') throw new Error('the log starts otherwise');
    const ref = (head as Head | null)?.state.base ?? null;
    let base: ViewSource['base'] = null;
    if (ref !== null) {
      const event = events[ref.version - 1];
      if (event?.type !== 'compaction.completed' && event?.type !== 'compaction.observed') {
        throw new Error('the base is missing');
      }
      base = { ref, event };
    }
    const behind = events.filter((event) => event.version > (ref?.through ?? 1));
    const newest = events.findLast(
      (event) => event.type === 'pin.added' || event.type === 'pin.removed',
    );
    const in_force = new Set<number>(newest?.data.in_force);
    const added = events.filter(
      (event) => event.type === 'pin.added' && (event === newest || in_force.has(event.version)),
    ) as EventOf<'pin.added'>[];
    const pins = { version: newest?.version ?? 0, added };
    const view = foldView({ created, base, events: behind, pins });
    const { format } = created.data;
    expect(renderEntries(view.entries, format, format)).toEqual(
      JSON.parse(read(`context-v${version}.json`)),
    );
  });
});

it('the newest golden log holds every type of event', () => {
  const types = rowsOf(EVENT_SCHEMA_VERSION).map(({ type }) => type);
  expect([...new Set(types)].toSorted()).toEqual([...EVENT_TYPES].toSorted());
});
