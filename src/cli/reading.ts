import { idSchema } from '../api/schemas/common.ts';
import { SettingsError } from '../config/settings-error.ts';
import { openTarget, type TargetFlags } from './open-target.ts';
import { type Output, type OutputFlags, outputTo } from './output.ts';
import type { Target } from './target.ts';

/** Options of every command that asks the API. */
export type ReadingFlags = TargetFlags & OutputFlags;

/** Runs a command against its target, which is closed afterwards. */
export async function reading<T>(
  flags: ReadingFlags,
  run: (target: Target, output: Output) => Promise<T>,
): Promise<T> {
  const output = outputTo(process.stdout, flags);
  const target = await openTarget(flags, false);
  try {
    return await run(target, output);
  } finally {
    await target.close();
  }
}

/** The path of a session. Throws SettingsError for what cannot be an id. */
export function sessionPath(id: string): string {
  return `/sessions/${checkedId(id, 'session')}`;
}

export function compactionPath(id: string, compaction: string): string {
  return `${sessionPath(id)}/compactions/${checkedId(compaction, 'compaction')}`;
}

export function checkedId(id: string, of: string): string {
  const parsed = idSchema.safeParse(id);
  if (parsed.success) return encodeURIComponent(parsed.data);
  throw new SettingsError(
    `"${id}" cannot be the id of a ${of}: ${parsed.error.issues[0]?.message ?? ''}`,
  );
}

/** The query of a path, of what is set. */
export function queryOf(values: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
