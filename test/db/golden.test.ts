import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { EventRow } from '../../src/app/ports/event-store.ts';
import { decodeEvent, eventHash, FIRST_PREVIOUS_HASH } from '../../src/db/event-codec.ts';
import { renderEntries } from '../../src/domain/context/render.ts';
import { foldView, type ViewSource } from '../../src/domain/context/view.ts';
import { LEDGER_VERSION } from '../../src/domain/ledger/ledger.ts';
import {
  EVENT_SCHEMA_VERSION,
  EVENT_TYPES,
  type EventOf,
  eventSchemas,
} from '../../src/domain/session/events.ts';
import { evolve } from '../../src/domain/session/evolve.ts';
import type { Head } from '../../src/domain/session/head.ts';

const LEDGERS = '-ledger';
const withLedger = z.looseObject({ ledger: z.looseObject({ version: z.number() }) });

function read(name: string): string {
  return readFileSync(new URL(`../fixtures/golden/${name}`, import.meta.url), 'utf8');
}

/** `log`: what stands behind the version in the names of its files. */
function rowsOf(version: number, log = ''): EventRow[] {
  const rowSchema = z.object({
    version: z.number(),
    type: z.string(),
    at: z.string(),
    schema_version: z.literal(version),
    data: z.string(),
    hash: z.string(),
  });
  return read(`events-v${version}${log}.jsonl`)
    .trim()
    .split('\n')
    .map((line) => rowSchema.parse(JSON.parse(line)));
}

/**
 * Logs of every released schema version load for ever: these files are never written again. A new
 * schema version adds a pair of files and an upcast. The log of a fork has the ledgers of this release.
 */
describe.each([
  [1, ''],
  [2, ''],
  [3, ''],
  [3, LEDGERS],
] as const)('golden log of schema version %i%s', (version, log) => {
  const rows = rowsOf(version, log);
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
      JSON.parse(read(`context-v${version}${log}.json`)),
    );
  });
});

describe('ledgers of an earlier release', () => {
  const logged = rowsOf(EVENT_SCHEMA_VERSION, LEDGERS).flatMap((row) => {
    const written = withLedger.safeParse(JSON.parse(row.data));
    return written.success ? [{ row, written: written.data.ledger }] : [];
  });

  it('stand in the golden log: of a fork and of a compaction, with facts of nearly every kind', () => {
    expect(logged.map(({ row }) => row.type)).toEqual(['session.forked', 'compaction.completed']);
    const kinds = Object.entries(logged.at(-1)?.written ?? {});
    // What is open is never covered, and no client's summary came before.
    const empty = kinds.filter(([, facts]) => Array.isArray(facts) && facts.length === 0);
    expect(empty.map(([kind]) => kind)).toEqual(['open_calls']);
  });

  it('are read as they were written, or, once the rules have changed, left out and folded anew', () => {
    for (const { row, written } of logged) {
      const { data } = decodeEvent(row);
      if (written.version === LEDGER_VERSION) expect(data).toMatchObject({ ledger: written });
      else expect(data).not.toHaveProperty('ledger');
    }
  });
});

it('the newest golden log holds every type of event', () => {
  const types = rowsOf(EVENT_SCHEMA_VERSION).map(({ type }) => type);
  expect([...new Set(types)].toSorted()).toEqual([...EVENT_TYPES].toSorted());
});
