import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { LEDGER_VERSION } from '../domain/ledger/ledger.ts';
import { remembering } from '../domain/remember.ts';
import type { EventType } from '../domain/session/events.ts';
import { jsonOf } from './json-of.ts';
import { ofStored } from './stored-json.ts';

/** Nothing else in such a text reads like this: within a string the quotes are escaped. */
const BEFORE_LEDGER = ',"ledger":';
const OF_TODAY = `${BEFORE_LEDGER}{"version":${LEDGER_VERSION},`;

/** What stands before the ledger: releases that wrote it elsewhere had their report behind it. */
const BEFORE = { 'compaction.completed': 'report', 'session.forked': 'entries' } as const;

type WithLedger = keyof typeof BEFORE;

/** The types of the events that may end in a ledger. */
export const TYPES_WITH_LEDGER = Object.keys(BEFORE);

/** The JSON of an event as its store hands it over: the text, or its bytes in UTF-8. */
export type StoredData = string | Buffer;

/** The text of stored data, or of a part of it (in units of what it is: UTF-16 or bytes). */
export function textOf(stored: StoredData, from = 0, to = stored.length): string {
  return typeof stored === 'string' ? stored.slice(from, to) : stored.toString('utf8', from, to);
}

export function hasLedger(type: EventType): type is WithLedger {
  return Object.hasOwn(BEFORE, type);
}

/**
 * The data of an event whose ledger is parsed when somebody asks for it; null where it does not end in a
 * ledger of today's version. A ledger grows with the history to a few hundred kilobytes, and a context is
 * read without it. One that is damaged throws when it is asked for.
 */
export function withUnreadLedger(type: WithLedger, row: Row): JsonObject | null {
  for (const partsOf of [atFirst, atLast]) {
    const parts = partsOf(row);
    if (parts === null) return null;
    const data = jsonOf(parts.withoutLedger);
    if (!isJsonObject(data) || !Object.hasOwn(data, BEFORE[type])) continue;
    let parse = () => {
      const ledger = ofStored(() => JSON.parse(parts.ledger()));
      parse = () => ledger;
      return ledger;
    };
    return Object.defineProperty(data, 'ledger', { enumerable: true, get: () => parse() });
  }
  return null;
}

type Row = { data: StoredData };

/*
 * Both are remembered for the rows that a store keeps in memory. Nearly always the first one is it: to look
 * for it from the end goes through all of the ledger, in each of all compactions that a search or a trace
 * reads. An item that holds such a value stands before it, and what ends there is no JSON.
 */
const atFirst = remembering(({ data }: Row) => partsAt(data, data.indexOf(OF_TODAY)));
const atLast = remembering(({ data }: Row) => partsAt(data, data.lastIndexOf(OF_TODAY)));

function partsAt(data: StoredData, at: number) {
  if (at < 0) return null;
  return {
    withoutLedger: `${textOf(data, 0, at)}}`,
    ledger: () => textOf(data, at + BEFORE_LEDGER.length, data.length - 1),
  };
}
