import { SettingsError } from '../config/settings-error.ts';
import { remoteTarget, type Target } from './target.ts';

/** Options of every command that has a target. */
export type TargetFlags = { url?: string; tenant?: string };

/**
 * What a command talks to: the service that `--url`, else `PALIMPSEST_URL`, names, else the store of
 * `DATABASE_URL`. `isNew`: a store that is not there is made. Throws SettingsError, TargetError.
 */
export async function openTarget(flags: TargetFlags, isNew: boolean): Promise<Target> {
  const { tenant } = flags;
  const url = urlIn(flags);
  if (url === null) {
    const { localTarget } = await import('./local-target.ts');
    return localTarget(tenant, isNew);
  }
  if (tenant !== undefined) {
    throw new SettingsError(
      'with --url or PALIMPSEST_URL the key in PALIMPSEST_API_KEY says whose the sessions are: ' +
        'leave --tenant out',
    );
  }
  return remoteTarget(url);
}

/** The address of the service that a command is to talk to; null: it opens the store. */
export function urlIn({ url = process.env.PALIMPSEST_URL }: TargetFlags): string | null {
  return url || null;
}
