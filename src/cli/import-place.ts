import { z } from 'zod';
import { jsonOf, type Target, TargetError } from './target.ts';

/** Where an import has left its session, and which one of its name that is. */
export const placeSchema = z.object({
  id: z.string(),
  version: z.number(),
  created_at: z.string(),
});
export type Place = z.infer<typeof placeSchema>;

const toldSchema = z.object({
  data: z.array(z.object({ type: z.string(), data: z.object({ source: z.string().optional() }) })),
});

/**
 * Where the session stands now that has moved on from there: compactions, pins and the like change nothing
 * of what is to follow. Null where others have told items since, or have made the session anew. Throws
 * TargetError where it is no more.
 */
export async function placeNow(
  target: Target,
  path: string,
  { id, version, created_at }: Place,
): Promise<Place | null> {
  const read = await target.request(path);
  if (read.status === 404) {
    await read.arrayBuffer();
    throw new TargetError(
      `the session "${id}" was erased while it was imported: import it again to have it back`,
    );
  }
  const now = placeSchema.parse(await jsonOf(read));
  if (now.created_at !== created_at) return null;
  const told = `${path}/events?types=item.appended,item.superseded&after=${version}`;
  const { data } = toldSchema.parse(await jsonOf(await target.request(told)));
  // What a hook or a packet has brought is the service's own.
  return data.every(({ data: { source } }) => source !== undefined) ? now : null;
}
