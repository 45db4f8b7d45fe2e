import type { LanguageModel, LanguageModelUsage, streamText } from 'ai';
import { Slices } from '../../app/slices.ts';
import type { Usage } from '../../domain/items/item.ts';
import { NO_TOKENS } from '../../domain/session/summarizer-usage.ts';
import { apiError, callFailure } from './failures.ts';
import type { ModelAnswer, ModelRequest, TextModel } from './text-model.ts';
import { timedCall } from './timed-call.ts';
import { usageSoFar } from './usage-so-far.ts';

/**
 * What is read of an answer at most, in characters: more than any model writes within its limit. One that
 * does not end would be looked through for seconds, in which nobody else is answered.
 */
const MOST_CHARACTERS = 400_000;
/** Where more tokens are asked for; texts in all languages have fewer. */
const CHARACTERS_PER_TOKEN = 8;

type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>;

export type AiModel = {
  /** `provider/model`, as in the configuration. */
  name: string;
  /** For failure messages. */
  provider: string;
  /** Built with the first call: the SDKs are loaded then. */
  model: () => Promise<LanguageModel>;
  /** Tokens, null when it is not known. */
  contextWindow: number | null;
  /** Switches thinking off, or as low as the model allows. */
  providerOptions: ProviderOptions;
};

/** A model of the AI SDK. It is called once: retrying is the job's business. */
export function aiModel(settings: AiModel): TextModel {
  return {
    name: settings.name,
    context_window: settings.contextWindow,
    ask: (request) => ask(settings, request),
  };
}

/** What a call has cost as far as the provider has said so: also one that comes to nothing is paid for. */
type Meter = { usage: Usage | null };

async function ask(settings: AiModel, request: ModelRequest): Promise<ModelAnswer> {
  const meter: Meter = { usage: null };
  const over = new AbortController();
  const answer = await timedCall(settings.provider, request, async (signal) => {
    try {
      return await streamAnswer(settings, request, AbortSignal.any([signal, over.signal]), meter);
    } finally {
      // Who only stops reading leaves the connection open, and the SDK collects all that still comes.
      over.abort();
    }
  });
  return answer.ok || meter.usage === null ? answer : { ...answer, usage: meter.usage };
}

async function streamAnswer(
  settings: AiModel,
  request: ModelRequest,
  abortSignal: AbortSignal,
  meter: Meter,
): Promise<ModelAnswer> {
  const [sdk, model] = await Promise.all([import('ai'), settings.model()]);
  const { fullStream } = sdk.streamText({
    model,
    system: request.system,
    prompt: request.prompt,
    maxOutputTokens: request.max_output_tokens,
    maxRetries: 0,
    abortSignal,
    providerOptions: settings.providerOptions,
    includeRawChunks: true,
    // The same error arrives as a part of the stream; the default would print it, request included.
    onError: () => {},
  });
  const most = Math.max(MOST_CHARACTERS, request.max_output_tokens * CHARACTERS_PER_TOKEN);
  // What has arrived already comes without a pause for others.
  const slices = new Slices();
  let text = '';
  for await (const part of fullStream) {
    if (slices.isOver) await slices.next();
    switch (part.type) {
      case 'raw':
        meter.usage = usageSoFar(part.rawValue) ?? meter.usage;
        break;
      case 'text-delta':
        text += part.text;
        if (text.length <= most) break;
        return cutOff(settings, text.slice(0, most), meter);
      case 'error':
        return callFailure(part.error, settings.provider, Date.now());
      case 'abort':
        return apiError(`${settings.provider}: the call was aborted`, true);
      case 'finish':
        meter.usage = summarizerUsage(part.totalUsage);
        return finished(settings, text, part);
      default:
        // Reasoning and the bookkeeping of steps are no part of a summary.
        break;
    }
  }
  return apiError(`${settings.provider}: the stream ended early`, true);
}

/** Of a model that goes on behind the limit of tokens. */
function cutOff({ name }: AiModel, text: string, { usage }: Meter): ModelAnswer {
  return { ok: true, text, is_cut_off: true, model: name, usage: usage ?? NO_TOKENS };
}

function finished(
  { name, provider }: AiModel,
  text: string,
  finish: {
    finishReason: string;
    rawFinishReason: string | undefined;
    totalUsage: LanguageModelUsage;
  },
): ModelAnswer {
  if (finish.finishReason === 'error') return apiError(`${provider}: the model failed`, true);
  if (finish.finishReason === 'content-filter') {
    return apiError(`${provider}: the provider refused the content`, false);
  }
  // Every provider names a reason in its last chunk; without one the stream was cut off.
  if (finish.finishReason === 'other' && finish.rawFinishReason === undefined) {
    return apiError(`${provider}: the stream ended early`, true);
  }
  if (text.trim() === '') {
    const message = `${provider}: the model returned no text`;
    return { ok: false, reason: 'no_summary', message, retryable: true };
  }
  return {
    ok: true,
    text,
    is_cut_off: finish.finishReason === 'length',
    model: name,
    usage: summarizerUsage(finish.totalUsage),
  };
}

/** `input` without what came from the provider's cache or went there, which have their own counts. */
function summarizerUsage(usage: LanguageModelUsage): Usage {
  const cacheRead = usage.inputTokenDetails.cacheReadTokens ?? 0;
  const cacheCreation = usage.inputTokenDetails.cacheWriteTokens ?? 0;
  return {
    input: Math.max(0, (usage.inputTokens ?? 0) - cacheRead - cacheCreation),
    output: usage.outputTokens ?? 0,
    cache_read: cacheRead,
    cache_creation: cacheCreation,
  };
}
