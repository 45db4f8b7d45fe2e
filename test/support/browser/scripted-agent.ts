import Anthropic from '@anthropic-ai/sdk';
import type { Item } from '../../../src/domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/domain/json.ts';
import type { ScriptedProvider } from '../gateway/provider.ts';
import type { Said } from '../gateway/provider-answers.ts';

/** What the agent is told, and what its model says to that. */
type Step = { told: JsonObject[]; said: Said };

const TOOLS = ['Read', 'Edit', 'Bash'].map((name) => ({
  name,
  description: `The tool ${name}.`,
  input_schema: { type: 'object' as const },
}));

/**
 * An agent with the official SDK that keeps its whole history and knows nothing of compactions. It plays a
 * conversation of the format `anthropic` step by step; what its model says is said by the provider.
 */
export class ScriptedAgent {
  readonly #steps: Step[];
  readonly #messages: Anthropic.MessageParam[] = [];
  #done = 0;

  constructor(provider: ScriptedProvider, conversation: readonly Item[]) {
    this.#steps = stepsOf(conversation);
    provider.script = () => this.#steps[this.#done]?.said ?? { text: 'Nothing is left to do.' };
  }

  get steps(): number {
    return this.#steps.length;
  }

  /** By what the last answer is known again: the id of its call, or what it says. */
  get lastMark(): string {
    const { calls, text } = this.#steps[this.#done - 1]?.said ?? { text: '' };
    return calls?.at(-1)?.id ?? text;
  }

  /** Goes on at a base URL until so many of its steps are done. */
  async workUntil(done: number, baseURL: string, headers: Record<string, string>): Promise<void> {
    const client = new Anthropic({ baseURL, apiKey: 'sk', defaultHeaders: headers, maxRetries: 0 });
    for (const { told } of this.#steps.slice(this.#done, done)) {
      // They come from items of this format.
      this.#messages.push({
        role: 'user',
        content: told as unknown as Anthropic.ContentBlockParam[],
      });
      const message = await client.messages
        .stream({
          model: 'claude-haiku-4-5',
          max_tokens: 1_000,
          tools: TOOLS,
          messages: this.#messages,
        })
        .finalMessage();
      this.#messages.push({ role: 'assistant', content: message.content });
      this.#done += 1;
    }
  }
}

function stepsOf(conversation: readonly Item[]): Step[] {
  const steps: Step[] = [];
  let previous: unknown = 'assistant';
  for (const { role, content } of conversation) {
    const blocks = blocksOf(content);
    if (role === 'user' && previous !== 'user') steps.push({ told: [], said: { text: '' } });
    previous = role;
    const step = steps.at(-1);
    for (const block of blocks) {
      if (role === 'user') step?.told.push(block);
      else if (step !== undefined) say(step.said, block);
    }
  }
  return steps;
}

function blocksOf(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function say(said: Said, { type, text, id, name, input }: JsonObject): void {
  if (type === 'text') said.text += String(text);
  else {
    said.calls ??= [];
    said.calls.push({
      id: String(id),
      name: String(name),
      input: isJsonObject(input) ? input : {},
    });
  }
}
