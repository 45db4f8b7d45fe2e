import { eventPage } from '../../app/event-page.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { withCounts } from '../../app/tokenizer.ts';
import { type Appended, appendItems } from '../../domain/session/append-items.ts';
import type { Counted } from '../../domain/session/counted.ts';
import { awaitedBody, existingCompaction, ownEvents } from '../compactions/compaction-body.ts';
import { waitForEnd } from '../compactions/wait.ts';
import { type Api, addEndpoint, noQuery, refOf } from '../http/endpoint.ts';
import { readIdempotency } from '../http/idempotency.ts';
import { readText } from '../http/json-body.ts';
import { onlyIfExists, preferredWait, readIfMatch } from '../http/preconditions.ts';
import { rejected } from '../http/problem.ts';
import { DEFAULT_LIMIT, logPageQuery, pageOf, sessionParams } from '../schemas/common.ts';
import { postedItem } from '../schemas/item.ts';
import { defaultSession } from '../sessions/routes.ts';
import { existingHead } from '../sessions/session-body.ts';
import { postedItems, relocate } from './posted-items.ts';
import { appendBody, appended, appendHeaders, logItem } from './schemas.ts';

const tag = 'Items';

/** `/sessions/{id}/items` (SPEC section 2). */
export function addItemRoutes(api: Api): void {
  addAppendItems(api);
  addListItems(api);
}

function addAppendItems(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/sessions/{id}/items',
    operationId: 'appendItems',
    tag,
    summary: 'Append items, all or nothing',
    description:
      'Takes one item, an array, `{"items": […]}`, or one item per line as `application/x-ndjson`. ' +
      'Creates the session with the defaults of the server when the id is new. When the context has ' +
      'reached its threshold, or a message is a command, the same write requests a compaction; with ' +
      '`Prefer: wait=N` the answer is held until that has ended, for at most N seconds.',
    params: sessionParams,
    query: noQuery,
    headers: appendHeaders,
    body: {
      required: true,
      content: {
        'application/json': { schema: appendBody },
        'application/x-ndjson': { schema: postedItem },
      },
    },
    responses: {
      201: {
        description: 'What was appended, and where the context stands now.',
        headers: {
          'Idempotency-Replayed': {
            description: '`true` when this is the answer that an earlier request got.',
            schema: { type: 'string', enum: ['true'] },
          },
          'Preference-Applied': { schema: { type: 'string' } },
        },
        content: { 'application/json': { schema: appended } },
      },
    },
    problems: [412, 413, 415, 422],
    handle: async (call) => {
      const { c } = call;
      const ref = refOf(call);
      const ifMatch = readIfMatch(c.req.header('if-match'));
      const body = await readText(c.req.raw, deps.limits);
      const posted = postedItems(body, deps.limits);
      const idempotency = readIdempotency(c, body.text);
      const now = deps.clock.now();
      const at = now.toISOString();
      const compaction_id = deps.newId();
      const append = { items: posted.items, defaults: defaultSession() };
      const command = (counted?: Counted) =>
        appendItems(deps.world, {
          ...append,
          counted,
          compaction_id,
          now_ms: now.getTime(),
          at,
          ...(ifMatch?.kind === 'version' ? { expected_version: ifMatch.version } : {}),
        });
      const options = idempotency === null ? { at } : { at, idempotency };
      const outcome = await withCounts(deps, ref, append, (counted) => {
        const decide = command(counted);
        return deps.store.commit(
          ref,
          ifMatch?.kind === 'exists' ? onlyIfExists(decide) : decide,
          options,
        );
      });
      if (!outcome.ok) {
        const { errors, ...rejection } = outcome.rejection;
        throw rejected(
          errors === undefined ? rejection : { ...rejection, errors: relocate(errors, posted) },
        );
      }
      const { value, replayed } = outcome.value;
      if (replayed) c.header('Idempotency-Replayed', 'true');
      else if (value.compaction?.id === compaction_id) deps.dispatch({ ref, compaction_id });
      const seconds = preferredWait(c.req.header('prefer'));
      if (seconds !== null) c.header('Preference-Applied', `wait=${seconds}`);
      const ended =
        seconds === null ? null : await ownEnd(deps, ref, value, seconds, c.req.raw.signal);
      // An answer that version 1 of the events kept has no advice and no note.
      return c.json(
        {
          session_id: ref.session_id,
          ...value,
          advice: value.advice ?? null,
          note: value.note ?? null,
          message: null,
          ...ended,
        },
        201,
      );
    },
  });
}

/** How the compaction has ended that an append has requested; null when it has not, or there is none. */
async function ownEnd(
  { store }: Api['deps'],
  ref: SessionRef,
  { compaction, last_seq, version }: Appended,
  seconds: number,
  signal: AbortSignal,
) {
  if (compaction === null) return null;
  const { requested_version } = await existingCompaction(store, ref, compaction.id);
  if (requested_version <= last_seq || requested_version > version) return null;
  const row = await waitForEnd(store, ref, compaction.id, seconds, signal);
  return row && awaitedBody(row, await ownEvents(store, ref, row));
}

function addListItems(api: Api): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'get',
    path: '/sessions/{id}/items',
    operationId: 'listItems',
    tag,
    summary: 'The raw log, oldest first',
    description: 'Every item ever appended, also what was compacted away.',
    params: sessionParams,
    query: logPageQuery,
    responses: {
      200: {
        description: 'One page; `next_cursor` can be sent as `after` or `cursor`.',
        content: { 'application/json': { schema: pageOf(logItem) } },
      },
    },
    problems: [404],
    handle: async (call) => {
      const ref = refOf(call);
      const { limit = DEFAULT_LIMIT, after = 0, cursor = after } = call.query;
      await existingHead(deps.store, ref);
      return api.longAnswer(call, async () => {
        const page = { types: ['item.appended'] as const, after: cursor, limit };
        const { events, next_cursor } = await eventPage(deps.store, ref, page);
        const data = events.flatMap((event) =>
          event.type === 'item.appended'
            ? [
                {
                  seq: event.version,
                  at: event.at,
                  item: event.data.item,
                  tokens: event.data.tokens,
                },
              ]
            : [],
        );
        return { data, next_cursor };
      });
    },
  });
}
