import type { z } from '@hono/zod-openapi';
import { compactStateless, type StatelessRefusal } from '../../app/compact-stateless.ts';
import { isOurContent, OpaqueContent, OpaqueContentError } from '../../app/opaque-content.ts';
import type { StatelessInput } from '../../domain/compaction/stateless.ts';
import type { Item, Usage } from '../../domain/items/item.ts';
import { openaiResponsesCodec } from '../../domain/items/openai-responses/codec.ts';
import { isProviderCompaction } from '../../domain/items/provider-compaction.ts';
import { isJsonObject, type Json, stringField } from '../../domain/json.ts';
import { checkItems } from '../../domain/session/check-items.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, noParams, noQuery } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import { bracketed, OpenAiError, openAiErrors } from './errors.ts';
import { compactedResponse, compactRequest } from './schemas.ts';

/** `POST /v1/responses/compact`: compaction without a session, as OpenAI offers it (SPEC section 13). */
export function addResponsesCompactRoute(api: Api): void {
  const { deps } = api;
  const opaque = new OpaqueContent(deps.compactionSecret, deps.keys, deps.storedSecret);
  addEndpoint(api, {
    method: 'post',
    path: '/v1/responses/compact',
    operationId: 'compactResponse',
    tag: 'OpenAI-compatible',
    summary: 'Compact a conversation that is not stored here',
    description:
      'As in the OpenAI API: `client.responses.compact()` works unchanged. Nothing is kept; the item ' +
      'of type `compaction` stands for the conversation and is expanded when it comes back in `input`.',
    params: noParams,
    query: noQuery,
    takesAnyQuery: true,
    body: { required: true, content: { 'application/json': { schema: compactRequest } } },
    responses: { 200: json('The compacted conversation.', compactedResponse) },
    problems: [413, 415],
    documentProblems: openAiErrors,
    handle: async ({ req, tenant }, answer) => {
      const body = await readJson(req.raw, deps.limits, compactRequest);
      refuseWhatIsNotKept(body.previous_response_id);
      const input = await readInput(opaque, tenant, itemsOf(body.input, deps), deps);
      const { model, instructions = null } = body;
      const asked = { model, instructions, input };
      const compacted = await compactStateless(deps, asked, req.raw.signal);
      if (!compacted.ok) throw refused(compacted.rejection);
      const { content, ledger, tail, usage } = compacted.value;
      const encrypted_content = await opaque
        .seal(tenant, { items: content, ledger }, deps.limits.body_bytes)
        .catch(refuseContent('input'));
      const ours = { id: newId(deps, 'cmp'), type: 'compaction', encrypted_content };
      return answer.json(200, {
        id: newId(deps, 'resp'),
        object: 'response.compaction',
        created_at: Math.floor(deps.clock.now().getTime() / 1000),
        output: openaiResponsesCodec.render([ours, ...tail]),
        usage: usageBody(usage),
      });
    },
  });
}

function refuseWhatIsNotKept(previousResponseId: string | null | undefined): void {
  if (previousResponseId === null || previousResponseId === undefined) return;
  throw new OpenAiError(
    400,
    'previous_response_not_found',
    'this service keeps no responses: leave out previous_response_id, and send the conversation as input',
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
  items: readonly Item[],
  { limits }: AppDependencies,
): Promise<StatelessInput[]> {
  const input: StatelessInput[] = [];
  // Compressed content grows: all that one request brings shares one limit.
  let left = limits.body_bytes;
  for (const [index, item] of items.entries()) {
    const content = isProviderCompaction(item) ? stringField(item, 'encrypted_content') : undefined;
    if (content === undefined || !isOurContent(content)) {
      input.push({ kind: 'item', item });
      continue;
    }
    const opened = await opaque
      .open(tenant, content, left)
      .catch(refuseContent(`input[${index}].encrypted_content`));
    left -= opened.bytes;
    input.push({ kind: 'content', items: opened.items, ledger: opened.ledger });
  }
  return input;
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
