import { keepRoom } from '../../app/keep-room.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { sessionKey } from '../../app/session-key.ts';
import { sync } from '../../app/sync.ts';
import type { Done, Sync } from '../../app/synced.ts';
import { syncedContext } from '../../app/synced-context.ts';
import { PartialTellingError } from '../../app/telling.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { json, REPLAYED } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readIdempotency, replayedHeader } from '../http/idempotency.ts';
import { type BytesBody, readBytesOnly } from '../http/json-body.ts';
import { MAX_WAIT_SECONDS, readIfMatch } from '../http/preconditions.ts';
import { ProblemError, unwrap } from '../http/problem.ts';
import { sessionParams } from '../schemas/common.ts';
import { keepSync, type ReadSync, readKnownSync, readWholeSync } from './read-sync.ts';
import { HISTORY_FACTOR, syncBody, synced, syncHeaders } from './schemas.ts';

/** `POST /sessions/{id}/sync` (SPEC 2, section 22). */
export function addSyncRoute(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/sync',
    operationId: 'syncSession',
    tag: 'Items',
    summary: 'The whole history in, the context out',
    description:
      'For clients that hold the whole conversation: appends what is new of it, and answers with what ' +
      'to send to the model. Creates the session with the defaults of the server when the id is new. ' +
      'Known items are found by what they say. A history with another past goes on in a fork.',
    params: sessionParams,
    query: noQuery,
    headers: syncHeaders,
    body: { required: true, content: { 'application/json': { schema: syncBody } } },
    responses: {
      200: json('What was new, and the context.', synced, REPLAYED),
    },
    problems: [
      'session_not_found',
      'history_diverged',
      'version_mismatch',
      'invalid_item',
      'invalid_config',
      'idempotency_mismatch',
      ...BODY_PROBLEMS,
    ],
    handle: async (call, answer) => {
      const { req } = call;
      const expected = readIfMatch(req.header('if-match'));
      const body = await readBytesOnly(req.raw, deps.limits);
      const idempotency = readIdempotency(req, body.bytes);
      const named = refOf(call);
      const { read, done: taken } = await takeIn(deps, named, body, { expected, idempotency });
      const { synced: done, replayed } = taken;
      const { wait, overhead = 0 } = read.asked;
      const ref = { tenant: call.tenant, session_id: done.session_id };
      const room = overhead === 0 ? null : unwrap(await keepRoom(deps, ref, overhead));
      const note = done.note ?? room?.note ?? null;
      if (done.session_id === named.session_id) keepSoon(deps, named, body, read);
      const isHeld = wait === 'compaction' || wait === true;
      const wait_seconds = isHeld ? MAX_WAIT_SECONDS : 0;
      return answer.long(
        async () => ({
          ...done,
          note,
          ...unwrap(await syncedContext(deps, ref, wait_seconds, req.raw.signal)),
        }),
        replayedHeader(replayed),
      );
    },
  });
}

type Given = Pick<Sync, 'expected' | 'idempotency'>;

/** Reads a history as far as it is new, and syncs it. Throws ProblemError, and what `sync` throws. */
async function takeIn(
  deps: AppDependencies,
  ref: SessionRef,
  body: BytesBody,
  given: Given,
): Promise<{ read: ReadSync; done: Done }> {
  const known = await readKnownSync(deps.knownBodies, sessionKey(ref), body);
  const done = known && (await syncKnown(deps, ref, known, given));
  if (known !== null && done !== null) return { read: known, done };
  const read = readWholeSync(body, deps.limits);
  return { read, done: unwrap(await syncRead(deps, ref, read, given)) };
}

/** Null where all of the history has to be read, or is to be refused: nothing was written then. */
async function syncKnown(
  deps: AppDependencies,
  ref: SessionRef,
  known: ReadSync,
  given: Given,
): Promise<Done | null> {
  try {
    const done = await syncRead(deps, ref, known, given);
    return done.ok ? done.value : null;
  } catch (error) {
    if (error instanceof PartialTellingError) return null;
    throw error;
  }
}

async function syncRead(
  deps: AppDependencies,
  ref: SessionRef,
  { asked, start }: ReadSync,
  given: Given,
): Promise<Outcome<Done>> {
  const { items, format, on_divergence = 'fork' } = asked;
  refuseTooMany(start.items + items.length, deps.limits.items_per_request * HISTORY_FACTOR);
  return sync(deps, ref, { items, start, format, on_divergence, ...given });
}

/** Notes what the next history may begin like, when this one is answered. */
function keepSoon(
  { knownBodies, log }: Pick<AppDependencies, 'knownBodies' | 'log'>,
  ref: SessionRef,
  body: BytesBody,
  read: ReadSync,
): void {
  setImmediate(() => {
    keepSync(knownBodies, sessionKey(ref), body, read).catch((error: unknown) =>
      log.error({ err: error }, 'the beginning of a history could not be noted'),
    );
  });
}

/** Throws ProblemError (413). */
function refuseTooMany(items: number, most: number): void {
  if (items <= most) return;
  throw new ProblemError(
    'body_too_large',
    `a history may have ${most} items, and this one has ${items}: compact it, or begin a new session`,
  );
}
