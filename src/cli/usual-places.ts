import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { portIn } from '../config.ts';

type Environment = { [name: string]: string | undefined };

const LOOK_MS = 1_000;
const health = z.object({ status: z.literal('ok'), version: z.string() });

/** Where `palimpsest serve` listens if nothing else is said. Throws SettingsError. */
export function usualAddress(environment: Environment): string {
  return `http://127.0.0.1:${portIn(environment) ?? 8787}`;
}

/** Where the data of a user's programs belongs, and not in the folder that an agent works in. */
export function usualDatabase({ XDG_DATA_HOME }: Environment): string {
  const data = XDG_DATA_HOME || join(homedir(), '.local', 'share');
  return `file:${join(data, 'palimpsest', 'palimpsest.db')}`;
}

/** Whether a service answers at an address. */
export async function isService(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(LOOK_MS) });
    return health.safeParse(await answer.json()).success;
  } catch {
    return false;
  }
}
