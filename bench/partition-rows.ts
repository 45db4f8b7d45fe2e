import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { EventRow, SessionRef } from '../src/app/ports/event-store.ts';
import { encodeEvent, eventHash, FIRST_PREVIOUS_HASH } from '../src/db/event-codec.ts';
import { Replay } from '../src/db/replay.ts';
import { profileConfig } from '../src/domain/policy/profiles.ts';
import type { EventData, SessionEvent } from '../src/domain/session/events.ts';
import { SeededRandom } from '../test/support/seeded-random.ts';

const EVENTS_PER_SESSION = 100;
/** Sessions that are written to at the same time, as by that many agents: their events lie among each other. */
const TOGETHER = 64;
const TEMPLATES = 64;
const CHARACTERS = 240;
const AT = '2026-01-01T00:00:00.000Z';

export const sessionOf = (index: number): SessionRef => ({
  tenant: 'local',
  session_id: `019aa000-0000-7000-8000-${String(index).padStart(12, '0')}`,
});

type Template = { rows: EventRow[]; state: string; settings: string };

/**
 * Writes the files for COPY of so many sessions, each with a hash chain of its own: `verify` finds nothing
 * wrong with them. Answers how many events there are.
 */
export async function writeRows(
  sessions: number,
  files: { sessions: string; events: string },
): Promise<number> {
  const templates = Array.from({ length: TEMPLATES }, (_, index) => templateOf(index));
  const outs = {
    sessions: createWriteStream(files.sessions),
    events: createWriteStream(files.events),
  };
  for (let first = 0; first < sessions; first += TOGETHER) {
    const group = Array.from({ length: Math.min(TOGETHER, sessions - first) }, (_, at) => {
      const template = templates[at % TEMPLATES];
      if (template === undefined) throw new Error('there is a template for each');
      return { ref: sessionOf(first + at), template, hash: FIRST_PREVIOUS_HASH };
    });
    const lines: string[] = [];
    for (let version = 1; version <= EVENTS_PER_SESSION; version++) {
      for (const session of group) {
        const row = session.template.rows[version - 1];
        if (row === undefined) throw new Error('a template has all events');
        session.hash = eventHash(session.hash, session.ref, row);
        const { type, at, schema_version, data } = row;
        const { tenant, session_id } = session.ref;
        lines.push(line(tenant, session_id, version, type, at, schema_version, session.hash, data));
      }
    }
    await write(outs.events, lines);
    await write(
      outs.sessions,
      group.map(({ ref: { tenant, session_id }, template: { state, settings }, hash }) =>
        line(tenant, session_id, EVENTS_PER_SESSION, hash, state, settings),
      ),
    );
  }
  for (const out of Object.values(outs)) {
    out.end();
    await finished(out);
  }
  return sessions * EVENTS_PER_SESSION;
}

async function write(out: ReturnType<typeof createWriteStream>, lines: string[]): Promise<void> {
  if (!out.write(lines.join(''))) await once(out, 'drain');
}

/** Of COPY's text format. */
function line(...fields: (string | number)[]): string {
  return `${fields.map((field) => String(field).replaceAll('\\', '\\\\')).join('\t')}\n`;
}

function templateOf(index: number): Template {
  const random = new SeededRandom(index + 1);
  const ref = sessionOf(index);
  const replay = new Replay(ref);
  const rows: EventRow[] = [];
  for (let version = 1; version <= EVENTS_PER_SESSION; version++) {
    const row = encodeEvent(replay.hash, ref, eventOf(version, random));
    rows.push(row);
    replay.add(row);
  }
  const { projections, problems } = replay;
  if (projections === null) throw new Error(problems.join('\n'));
  const { state, settings } = projections.head;
  return { rows, state: JSON.stringify(state), settings: JSON.stringify(settings) };
}

function eventOf(version: number, random: SeededRandom): SessionEvent {
  const head = { version, at: AT };
  if (version === 1) {
    const data = {
      format: 'anthropic',
      profile: 'default',
      config: { ...profileConfig('default', 200_000), auto_compact_enabled: false },
      model: null,
      context_window: 200_000,
      initial_context: [],
      metadata: {},
    } satisfies EventData['session.created'];
    return { ...head, type: 'session.created', data };
  }
  const words: string[] = [];
  for (let length = 0; length < CHARACTERS; ) {
    const word = Math.floor(random.next() ** 3 * 20_000).toString(36);
    words.push(word);
    length += word.length + 1;
  }
  const item = { role: version % 2 === 0 ? 'user' : 'assistant', content: words.join(' ') };
  return { ...head, type: 'item.appended', data: { item, tokens: CHARACTERS / 4 } } as SessionEvent;
}
