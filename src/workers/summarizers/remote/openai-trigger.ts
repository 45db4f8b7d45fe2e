import { z } from 'zod';
import { Slices } from '../../../app/slices.ts';
import { EventStreamReader } from '../../../domain/gateway/event-stream.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../domain/json.ts';
import { MOST_VALUES } from '../../../domain/json-text.ts';
import { apiError, callFailure } from '../failures.ts';
import { type OpenaiAccess, postToOpenai } from './openai-post.ts';
import {
  measured,
  openaiUsage,
  type RemoteAnswer,
  tooManyValues,
  unkeepable,
} from './remote-answer.ts';

/** The last event of many providers; it is no JSON. */
const END_OF_STREAM = '[DONE]';

/** Only a few fields are read; everything else that a provider streams is passed over. */
const streamEvent = z.object({ type: z.string() });

/**
 * The trigger form of OpenAI's compaction: a normal streamed response whose last input item asks for
 * it; the items that the model gives out stand for the input (SPEC section 13). The answer counts
 * only when the response was completed. Throws what `postToOpenai` and a broken stream throw.
 */
export async function compactByTrigger(
  access: OpenaiAccess,
  body: JsonObject & { input: Json[] },
  signal: AbortSignal,
): Promise<RemoteAnswer> {
  const input = [...body.input, { type: 'compaction_trigger' }];
  const request = { ...body, input, stream: true, store: false };
  const { body: stream } = await postToOpenai(access, '/responses', request, signal);
  if (stream === null) return endedEarly();
  const output: Json[] = [];
  const slices = new Slices();
  let left = MOST_VALUES;
  for await (const data of dataOf(stream)) {
    // What has arrived already comes without a pause for others.
    if (slices.isOver) await slices.next();
    if (data === END_OF_STREAM) continue;
    const size = measured(data);
    if (!size.ok) return size;
    // JSON.parse yields exactly the values that Json names.
    const event = JSON.parse(data) as Json;
    const response = fieldOf(event, 'response');
    const usage = openaiUsage(fieldOf(response, 'usage'));
    switch (streamEvent.parse(event).type) {
      case 'response.output_item.done': {
        const flawed = unkeepable(data);
        if (flawed !== null) return flawed;
        left -= size.values;
        if (left < 0) return tooManyValues();
        output.push(fieldOf(event, 'item') ?? null);
        break;
      }
      case 'response.completed':
        return { ok: true, output, usage };
      case 'response.incomplete':
        return {
          ...apiError('openai: the provider did not finish the compaction', false),
          usage,
        };
      case 'response.failed':
        return {
          ...callFailure(fieldOf(response, 'error') ?? null, 'openai', Date.now()),
          usage,
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
