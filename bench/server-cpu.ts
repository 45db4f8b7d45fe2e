import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { Client } from 'pg';

/** /proc counts in hundredths of a second on every Linux that Node runs on. */
const MICROSECONDS_PER_TICK = 10_000;

/** CPU time that this Redis has used so far, in microseconds. */
export async function redisCpu(url: string): Promise<number> {
  const client = new Redis(url);
  try {
    const info = await client.info('cpu');
    const seconds = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
    return (seconds('used_cpu_sys') + seconds('used_cpu_user')) * 1e6;
  } finally {
    client.disconnect();
  }
}

/**
 * CPU time that all processes of this PostgreSQL have used so far, in microseconds; null where they
 * cannot be seen: in a container, on another machine, on another system than Linux.
 */
export async function postgresCpu(url: string): Promise<number | null> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const backend = statOf(rows[0]?.pid ?? 0);
    if (!backend?.name.startsWith('postgres')) return null;
    const main = statOf(backend.parent);
    if (main === null) return null;
    const list = readFileSync(`/proc/${backend.parent}/task/${backend.parent}/children`, 'utf8');
    const children = list.split(' ').filter(Boolean).map(Number);
    const ticks = children.reduce((sum, pid) => sum + (statOf(pid)?.own ?? 0), 0);
    return (main.own + main.ofEnded + ticks) * MICROSECONDS_PER_TICK;
  } finally {
    await client.end();
  }
}

type Stat = { name: string; parent: number; own: number; ofEnded: number };

/** What /proc says of a process, times in ticks; null when there is no such process here. */
function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    // The first field after the name is the third of proc(5).
    const fields = text.slice(end + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    return {
      name: text.slice(text.indexOf('(') + 1, end),
      parent: field(4),
      own: field(14) + field(15),
      ofEnded: field(16) + field(17),
    };
  } catch {
    return null;
  }
}
