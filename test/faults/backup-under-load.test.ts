import { statSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { conversation, on, onService, openLab, restore, rowsIn } from '../support/backup-lab.ts';
import { palimpsest } from '../support/palimpsest-command.ts';
import { ServiceProcess } from '../support/service-process.ts';

/** Of each of two services. */
const WRITERS = 4;
/** Of each writer, before the backup begins and again after it has ended. */
const ITEMS = 20;

const { fresh, places, dispose } = openLab();
afterAll(dispose);

/** Appends to a session until it is told to stop, and notes what was acknowledged. */
class Writer {
  readonly acknowledged: string[] = [];
  readonly done: Promise<void>;
  readonly #service: ServiceProcess;
  readonly #id: string;
  #isStopped = false;

  constructor(service: ServiceProcess, id: string) {
    this.#service = service;
    this.#id = id;
    this.done = this.#write();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.done;
  }

  async #write(): Promise<void> {
    await this.#post('/sessions', { id: this.#id, context_window: 200_000 });
    while (!this.#isStopped) {
      const content = `${this.#id} says ${this.acknowledged.length}`;
      await this.#post(`/sessions/${this.#id}/items`, { role: 'user', content });
      this.acknowledged.push(content);
    }
  }

  async #post(path: string, body: unknown): Promise<void> {
    const answer = await fetch(this.#service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
  }
}

/** Waits until each has had so many items acknowledged. */
async function reached(writers: readonly Writer[], items: number): Promise<void> {
  for (const writer of writers) {
    while (writer.acknowledged.length < items) {
      await Promise.race([writer.done, new Promise((resolve) => setTimeout(resolve, 5))]);
    }
  }
}

describe.each([
  { kind: 'sqlite', other: 'postgres' } as const,
  { kind: 'postgres', other: 'sqlite' } as const,
])('a store on $kind', ({ kind, other }) => {
  test('is backed up while processes append to it, and restored into either kind', async () => {
    const url = await places[kind]();
    const context = await onService(url, async ({ client }) => {
      await client.createSession({ body: { id: 'compacted', context_window: 10_000 } });
      for (let n = 0; n < 40; n++) {
        const content = `${n} ${'word '.repeat(400)}`;
        await client.appendItems({ id: 'compacted', body: { role: 'user', content } });
      }
      return client.getContext({ id: 'compacted', wait: 'compaction' });
    });
    expect(context.base_compaction_id).not.toBeNull();

    const services = [await ServiceProcess.start(on(url)), await ServiceProcess.start(on(url))];
    const file = fresh('backup');
    let before: string[];
    let made: Awaited<ReturnType<typeof palimpsest>>;
    try {
      const writers = services.flatMap((service, place) =>
        Array.from({ length: WRITERS }, (_, n) => new Writer(service, `s-${place}-${n}`)),
      );
      await reached(writers, ITEMS);
      before = writers.flatMap(({ acknowledged }) => acknowledged);
      made = await palimpsest(['backup', file], on(url));
      const soFar = Math.max(...writers.map(({ acknowledged }) => acknowledged.length));
      await reached(writers, soFar + ITEMS);
      for (const writer of writers) await writer.stop();
    } finally {
      for (const service of services) await service.dispose();
    }
    expect(made.stderr).toBe('');
    expect(made.stdout).toMatch(/: 9 sessions, \d+ events, [\d,]+ kB\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const source = await rowsIn(url);
    for (const target of [await places[kind](), await places[other]()]) {
      expect(await restore(file, target)).toMatchObject({ sessions: 9, problems: [] });
      const restored = await onService(target, ({ client }) =>
        client.getContext({ id: 'compacted' }),
      );
      expect(restored).toEqual(context);
      const rows = await rowsIn(target);
      expect([...rows.keys()]).toEqual([...source.keys()]);
      for (const [id, stored] of rows) {
        expect(stored).toEqual(source.get(id)?.slice(0, stored.length));
      }
      const texts = [...rows.values()].flat().join('\n');
      expect(before.filter((content) => !texts.includes(`"${content}"`))).toEqual([]);
      // They were appended to after the backup.
      expect(rows).not.toEqual(source);
      // The new store goes on: new sessions come after those that were restored.
      await conversation(target, 'later');
      expect([...(await rowsIn(target)).keys()][0]).toBe('later');
    }
  });
});
