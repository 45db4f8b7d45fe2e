import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { filesUnder, readText } from '../house/sources.ts';
import { freshDatabase } from '../support/servers/fresh.ts';
import {
  connectionsPerProcess,
  connectionsPerThread,
  knownVariables,
  longestStopMs,
} from './service-facts.ts';

const operations = readText('docs/operations.md');
const statements = [...operations.matchAll(/```sql\n-- (\w+)\n([^`]+)```/g)].map(
  ([, database = '', sql = '']) => ({ database, sql }),
);

function statementsFor(database: string): string[] {
  return statements.filter((statement) => statement.database === database).map(({ sql }) => sql);
}

describe('docs/operations.md', () => {
  test('every message that it explains is one that the service logs', () => {
    const table = operations.split('### The log')[1]?.split('###')[0] ?? '';
    const messages = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, message]) => message ?? '');
    expect(messages.length).toBeGreaterThan(5);
    const source = filesUnder('src')
      .map(({ text }) => text)
      .join('\n');
    expect(messages.filter((message) => !source.includes(message))).toEqual([]);
  });

  test('every variable that it names is one of the service, or says whose it is', () => {
    const ofOpenTelemetry = [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_RESOURCE_ATTRIBUTES',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
    ];
    const others = [
      'COMPOSE_PROFILES',
      'POSTGRES_PASSWORD',
      'PALIMPSEST_API_PORT',
      ...ofOpenTelemetry,
    ];
    const known = knownVariables();
    const named = [...operations.matchAll(/\b(?:PALIMPSEST|COMPOSE|POSTGRES|[A-Z]+)_[A-Z_]+\b/g)];
    const unknown = named.map(([name]) => name).filter((name) => !known.has(name));
    expect(new Set(unknown)).toEqual(new Set(others));
  });

  test('its figures are those of the code', () => {
    expect(operations).toContain(`holds up to ${connectionsPerProcess()}:`);
    expect(operations).toContain(`holds up to ${connectionsPerThread()} more`);
    expect(longestStopMs()).toBeLessThan(20_000);
  });

  test('every statement is for a database that there is', () => {
    const databases = statements.map(({ database }) => database);
    expect(new Set(databases)).toEqual(new Set(['PostgreSQL', 'SQLite']));
    expect(operations.split('```sql').length - 1).toBe(statements.length);
  });

  describe('its statements find what they look for', () => {
    const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
    const oldest = at(10);
    const rows = `
      INSERT INTO sessions (tenant, session_id, version, hash, state, settings)
        VALUES ('t', 's', 2, '', '{}', '{}');
      INSERT INTO compactions (tenant, session_id, id, status, outcome, outcome_reason, mode,
          "trigger", reason, attempts, requested_at, ended_at, requested_version) VALUES
        ('t', 's', 'waits', 'queued', NULL, NULL, 'auto', 'auto', '', 0, '${oldest}', NULL, 1),
        ('t', 's', 'fresh', 'running', NULL, NULL, 'auto', 'auto', '', 1, '${at(1)}', NULL, 1),
        ('t', 's', 'failed', 'ended', 'failed', 'timeout', 'auto', 'auto', '', 3, '${at(90)}', '${at(30)}', 1),
        ('t', 's', 'old', 'ended', 'failed', 'timeout', 'auto', 'auto', '', 3, '${at(90)}', '${at(80)}', 1);
      INSERT INTO events (tenant, session_id, version, type, at, schema_version, hash, data) VALUES
        ('t', 's', 1, 'compaction.failed', '${at(30)}', 1, '', '{"reason":"timeout"}'),
        ('t', 's', 2, 'breaker.opened', '${at(90)}', 1, '', '{}');`;

    test('SQLite', () => {
      const db = openDatabase({ path: ':memory:' });
      db.exec(rows);
      const results = statementsFor('SQLite').map((sql) => db.prepare(sql).all());
      db.close();
      expect(results).toEqual([[{ waiting: 1, oldest }]]);
    });

    test('PostgreSQL', async () => {
      const { url, drop } = await freshDatabase();
      const store = await openPostgresStore({ url, onError: () => {} });
      await store.close();
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(rows);
      const results: unknown[] = [];
      for (const sql of statementsFor('PostgreSQL')) results.push((await client.query(sql)).rows);
      await client.end();
      await drop();
      expect(results).toEqual([
        [{ waiting: '1', oldest }],
        [{ outcome: 'failed', outcome_reason: 'timeout', count: '1' }],
        [{ type: 'compaction.failed', reason: 'timeout', count: '1' }],
      ]);
    });
  });
});

describe('docs/scale.md', () => {
  test('every figure is one of benchmarks.md', () => {
    const table = readText('docs/scale.md').split('## Measured')[1]?.split('##')[0] ?? '';
    const cells = [...table.matchAll(/^\| [^|]+\| ([^|]+?) +\|/gm)].map(([, cell]) => cell ?? '');
    const figures = cells.filter((cell) => /\d/.test(cell));
    expect(table).not.toContain('<!--');
    expect(figures.length).toBeGreaterThan(0);
    const measured = readText('docs/benchmarks.md');
    expect(figures.filter((figure) => !measured.includes(figure))).toEqual([]);
  });
});
