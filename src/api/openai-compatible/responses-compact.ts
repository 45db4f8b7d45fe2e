import type { z } from '@hono/zod-openapi';
import { compactStateless, type StatelessRefusal } from '../../app/compact-stateless.ts';
import { type Expanded, expandContent } from '../../app/gateway/expand-content.ts';
import { keptConversation } from '../../app/gateway/kept-conversation.ts';
import { KnownHistories } from '../../app/gateway/known-histories.ts';
import { headersRead, type TurnRequest } from '../../app/gateway/turn-request.ts';
import { writtenSoon } from '../../app/gateway/written-soon.ts';
import { type OpaqueContent, OpaqueContentError } from '../../app/opaque-content.ts';
import { roughlySaved } from '../../domain/gateway/rough-tokens.ts';
import type { Item, Usage } from '../../domain/items/item.ts';
import { openaiResponsesCodec } from '../../domain/items/openai-responses/codec.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { checkItems } from '../../domain/session/check-items.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { json } from '../http/answer.ts';
import { BODY_PROBLEMS } from '../http/documented-problems.ts';
import { type Api, addEndpoint, noParams, noQuery } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { turnHeaders } from '../http/turn-headers.ts';
import { whoAsks } from '../http/who.ts';
import { bracketed, OpenAiError, openAiErrors } from './errors.ts';
import { compactedResponse, compactRequest } from './schemas.ts';

/** `POST /v1/responses/compact`, as OpenAI offers it (SPEC section 13). */
export function addResponsesCompactRoute(api: Api, opaque: OpaqueContent): void {
  const { deps } = api;
  addEndpoint(api, {
    method: 'post',
    path: '/v1/responses/compact',
    operationId: 'compactResponse',
    tag: 'OpenAI-compatible',
    summary: 'Compact a conversation, as OpenAI does',
    description:
      'As in the OpenAI API: `client.responses.compact()` works unchanged. The conversation goes into ' +
      'the log of its session where it has one at the gateway; else nothing is kept. The item of type ' +
      '`compaction` stands for the conversation and is expanded when it comes back in `input`.',
    params: noParams,
    query: noQuery,
    takesAnyQuery: true,
    body: { required: true, content: { 'application/json': { schema: compactRequest } } },
    responses: { 200: json('The compacted conversation.', compactedResponse) },
    problems: ['invalid_item', ...BODY_PROBLEMS],
    documentProblems: openAiErrors,
    handle: async ({ req, tenant }, answer) => {
      const asked = { request: req.raw, tenant, upstream: 'openai' };
      const { body, headers } = await compactResponse(deps, opaque, asked);
      return answer.json(200, body, headers);
    },
  });
}

type Asked = {
  request: Request;
  tenant: string;
  /** Whose sessions it belongs to. */
  upstream: string;
};

/**
 * Compacts the conversation of a request, which goes into its session where it has one (SPEC 2, section
 * 23). Throws OpenAiError and ProblemError.
 */
export async function compactResponse(
  deps: AppDependencies,
  opaque: OpaqueContent,
  { request, tenant, upstream }: Asked,
): Promise<{ body: z.infer<typeof compactedResponse>; headers: Record<string, string> }> {
  const body = await readJson(request, deps.limits, compactRequest);
  const told = await readInput(opaque, tenant, itemsOf(body.input, deps), deps);
  const { owner } = whoAsks(deps.keys, opaque)(request);
  const turn: TurnRequest = {
    protocol: 'responses',
    tenant,
    owner,
    upstream,
    headers: headersRead(request.headers),
    fresh_id: deps.newId(),
    text: '',
  };
  // Asked for once in a while: nothing is remembered from one to the next.
  const own = { ...deps, opaque, histories: new KnownHistories() };
  // Zod's object holds JSON alone.
  const kept = await keptConversation(own, turn, body as JsonObject, told);
  if (kept === null) throw notKept();
  const { conversation, session } = kept;
  const { model, instructions = null } = body;
  const soon = session === null ? deps : { ...deps, summarize: summarizeSoon(deps) };
  const compacted = await compactStateless(
    soon,
    { model, instructions, conversation },
    request.signal,
  );
  if (!compacted.ok) throw refused(compacted.rejection);
  const { content: items, ledger, tail, usage } = compacted.value;
  const encrypted_content = await opaque
    .seal(tenant, { items, ledger, session_id: session?.id }, deps.limits.body_bytes)
    .catch(refuseContent('input'));
  const ours = { id: newId(deps, 'cmp'), type: 'compaction', encrypted_content };
  const saved = roughlySaved(sizeOf(conversation.items), sizeOf([...items, ...tail]));
  return {
    body: {
      id: newId(deps, 'resp'),
      object: 'response.compaction',
      created_at: Math.floor(deps.clock.now().getTime() / 1000),
      output: openaiResponsesCodec.render([ours, ...tail]),
      usage: usageBody(usage),
    },
    headers: turnHeaders({
      status: `compacted; saved=${saved}`,
      ...(session !== null && { session }),
    }),
  };
}

function sizeOf(items: readonly Item[]): number {
  return JSON.stringify(items).length;
}

/** A client that has a session has nobody else to ask: it gets a summary in any case. */
function summarizeSoon(deps: AppDependencies): AppDependencies['summarize'] {
  return async (order) => {
    const summary = await writtenSoon(deps, order, deps.gateway.wait_seconds);
    return summary === null
      ? { ok: false, message: 'nothing could be written' }
      : { ok: true, summary };
  };
}

function notKept(): OpenAiError {
  return new OpenAiError(
    400,
    'previous_response_not_found',
    'this service has not given this response: leave out previous_response_id, and send the conversation as input',
    { param: 'previous_response_id' },
  );
}

/** The items of `input`, checked as those of a session are. */
function itemsOf(
  input: z.infer<typeof compactRequest>['input'],
  { limits }: AppDependencies,
): Item[] {
  if (typeof input === 'string') {
    return input.trim() === '' ? [] : [openaiResponsesCodec.message('user', input)];
  }
  const posted: Json[] = input ?? [];
  if (posted.length > limits.items_per_request) {
    throw new OpenAiError(
      413,
      'too_many_items',
      `input holds ${posted.length} items, and a request may have at most ${limits.items_per_request}`,
      { param: 'input' },
    );
  }
  posted.forEach(refuseReference);
  const checked = checkItems('openai-responses', 'input', withoutTrigger(posted));
  if (checked.ok) return checked.items;
  const [first] = checked.errors;
  const param = bracketed(first?.path ?? 'input');
  throw new OpenAiError(400, 'invalid_item', `${param}: ${first?.message}`, { param });
}

/** The input with our compaction items opened; those of other services stay what they are. */
async function readInput(
  opaque: OpaqueContent,
  tenant: string,
  items: Item[],
  { limits }: AppDependencies,
): Promise<Expanded> {
  const opened = await expandContent(opaque, tenant, items, limits.body_bytes);
  if (opened.ok) return opened.value;
  const { code, param, message } = opened.rejection;
  throw code === 'too_large'
    ? new OpenAiError(413, 'content_too_large', message, { param })
    : new OpenAiError(400, 'invalid_encrypted_content', message, { param });
}

/** At the end of a request for a compaction the trigger says nothing new. */
function withoutTrigger(posted: Json[]): Json[] {
  const last = posted.at(-1) ?? null;
  const isTrigger = isJsonObject(last) && last.type === 'compaction_trigger';
  return isTrigger ? posted.slice(0, -1) : posted;
}

function refuseReference(item: Json, index: number): void {
  if (!isJsonObject(item) || item.type !== 'item_reference') return;
  throw new OpenAiError(
    400,
    'item_not_found',
    `input[${index}] refers to an item that is kept elsewhere: send the item itself`,
    { param: `input[${index}]` },
  );
}

function refuseContent(param: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof OpaqueContentError)) throw error;
    const [status, code] =
      error.code === 'too_large' ? [413, 'content_too_large'] : [400, 'invalid_encrypted_content'];
    throw new OpenAiError(status, code, `${param} cannot be used: ${error.message}`, { param });
  };
}

const REFUSED = {
  compaction_disabled: { status: 400, param: null },
  nothing_to_compact: { status: 400, param: 'input' },
  summarizer_failed: { status: 503, param: null },
};

function refused({ code, detail }: StatelessRefusal): OpenAiError {
  const { status, param } = REFUSED[code];
  return new OpenAiError(status, code, detail, { param });
}

function usageBody({ input, output, cache_read, cache_creation }: Usage) {
  const input_tokens = input + cache_read + cache_creation;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cache_read, cache_write_tokens: cache_creation },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output,
  };
}

function newId({ newId }: AppDependencies, prefix: string): string {
  return `${prefix}_${newId().replaceAll('-', '')}`;
}
