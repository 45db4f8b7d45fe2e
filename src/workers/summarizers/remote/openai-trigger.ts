import { z } from 'zod';
import { flawOf, JSON_DEPTH } from '../../../domain/exact-json.ts';
import { EventStreamReader } from '../../../domain/gateway/event-stream.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import { apiError, callFailure } from '../failures.ts';
import type { ProviderAccess } from '../providers.ts';
import { postToOpenai } from './openai-post.ts';
import { openaiUsage, type RemoteAnswer, unkeepable } from './remote-answer.ts';

/** The last event of many providers; it is no JSON. */
const END_OF_STREAM = '[DONE]';

/** Only these fields are read; everything else that a provider streams is passed over. */
const streamEvent = z.object({
  type: z.string(),
  item: z.json().optional(),
  response: z.json().optional(),
  error: z.json().optional(),
});

/**
 * The trigger form of OpenAI's compaction: a normal streamed response whose last input item asks for
 * it; the items that the model gives out stand for the input (SPEC section 13). The answer counts
 * only when the response was completed. Throws what `postToOpenai` and a broken stream throw.
 */
export async function compactByTrigger(
  access: ProviderAccess,
  body: JsonObject & { input: Json[] },
  signal: AbortSignal,
): Promise<RemoteAnswer> {
  const input = [...body.input, { type: 'compaction_trigger' }];
  const request = { ...body, input, stream: true, store: false };
  const response = await postToOpenai(access, '/responses', request, signal);
  if (response.body === null) return endedEarly();
  const output: Json[] = [];
  for await (const data of dataOf(response.body)) {
    if (data === END_OF_STREAM) continue;
    const event = streamEvent.parse(JSON.parse(data));
    switch (event.type) {
      case 'response.output_item.done': {
        const flaw = flawOf(data, JSON_DEPTH);
        if (flaw !== null) return unkeepable(flaw);
        output.push(event.item ?? null);
        break;
      }
      case 'response.completed':
        return { ok: true, output, usage: openaiUsage(fieldOf(event.response, 'usage')) };
      case 'response.incomplete':
        return {
          ...apiError('openai: the provider did not finish the compaction', false),
          usage: openaiUsage(fieldOf(event.response, 'usage')),
        };
      case 'response.failed':
        return {
          ...callFailure(fieldOf(event.response, 'error') ?? null, 'openai', Date.now()),
          usage: openaiUsage(fieldOf(event.response, 'usage')),
        };
      case 'error':
        return callFailure(event, 'openai', Date.now());
      default:
        // Progress of all kinds.
        break;
    }
  }
  return endedEarly();
}

/** The data of the events that have come whole. */
async function* dataOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = new EventStreamReader();
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    for (const piece of reader.read(text)) if (piece.kind === 'event') yield piece.event.data;
  }
}

function endedEarly(): RemoteAnswer {
  return apiError('openai: the stream ended early', true);
}

function fieldOf(value: Json | undefined, field: string): Json | undefined {
  return isJsonObject(value) ? value[field] : undefined;
}
