import { aiSdkProblems } from './ai-sdk-rules.ts';
import { anthropicProblems } from './anthropic-rules.ts';
import { chatProblems } from './chat-rules.ts';
import { type Entry, type Options, textsOf } from './reading.ts';
import { typeProblems, type WireFormat } from './request-types.ts';
import { responsesProblems } from './responses-rules.ts';

/** Base64 this long in a text is a file that was made a text. */
const LONG_BASE64 = /[A-Za-z0-9+/]{2000}/;

/**
 * Everything that is wrong with a rendered context in the eyes of its provider: the request types of
 * its SDK, then the rules that no type can say. Stands by itself: it knows nothing of our code.
 */
export function providerProblems(
  format: WireFormat,
  context: readonly unknown[],
  options: Options,
): string[] {
  return [...typeProblems(format, context), ...ruleProblems(format, context, options)];
}

/** The rules alone: what belongs together, what may follow what, what may not be empty. */
export function ruleProblems(
  format: WireFormat,
  context: readonly unknown[],
  options: Options,
): string[] {
  const entries = context as readonly Entry[];
  const found = rulesOf(format)(entries, options);
  for (const [index, entry] of entries.entries()) {
    if (hasLoneSurrogate(entry)) {
      found.push(`${index}: a lone surrogate, which is no Unicode text`);
    }
    const isFile = (text: string) => !text.includes(' ') && LONG_BASE64.test(text);
    if (options.isConverted && textsOf(entry).some(isFile)) found.push(`${index}: base64 as text`);
  }
  return found;
}

function rulesOf(format: WireFormat) {
  switch (format) {
    case 'anthropic':
      return anthropicProblems;
    case 'openai-chat':
      return chatProblems;
    case 'openai-responses':
      return responsesProblems;
    case 'ai-sdk':
      return aiSdkProblems;
    default:
      return format satisfies never;
  }
}

/** JSON.stringify writes a lone surrogate as an escape. */
function hasLoneSurrogate(entry: Entry): boolean {
  const json = JSON.stringify(entry);
  return json.includes('\\ud') && /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(json);
}
