import { createParser } from 'eventsource-parser';
import { isJsonObject, type JsonObject } from '../../../src/domain/json.ts';
import { logOf } from './sdk-task.ts';

/**
 * A client of the Responses API that lets its provider keep what the model says, and only names it from
 * then on, as the AI SDK does.
 */
export class ReferringClient {
  readonly input: JsonObject[];
  url: string;
  readonly #fields: JsonObject;
  /** Of each answer. */
  readonly statuses: (string | null)[] = [];
  headers: Record<string, string> = {};
  /** What it has sent last. */
  sent: JsonObject[] = [];

  constructor(url: string, prompt: string, fields: JsonObject = {}) {
    this.url = url;
    this.#fields = fields;
    this.input = [{ role: 'user', content: prompt }];
  }

  /** Asks once, and answers the calls of the answer; whether there were any. */
  async step(): Promise<boolean> {
    const output = await this.ask();
    for (const { id } of output) this.input.push({ type: 'item_reference', id: id ?? null });
    const calls = output.filter(({ type }) => type === 'function_call');
    for (const { call_id, arguments: json } of calls) {
      const { path } = JSON.parse(String(json)) as { path: string };
      this.input.push({
        type: 'function_call_output',
        call_id: call_id ?? null,
        output: logOf(path),
      });
    }
    return calls.length > 0;
  }

  /** The items of the answer to what has been said so far. */
  async ask(): Promise<JsonObject[]> {
    this.sent = [...this.input];
    const response = await fetch(`${this.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers },
      body: JSON.stringify({ model: 'scripted', ...this.#fields, input: this.input }),
    });
    const text = await response.text();
    this.statuses.push(response.headers.get('palimpsest-status'));
    if (response.status !== 200) throw new Error(text);
    const answer = this.#fields.stream === true ? lastResponse(text) : JSON.parse(text);
    const { output } = answer as { output: JsonObject[] };
    return output.filter(isJsonObject);
  }
}

function lastResponse(text: string): unknown {
  let last: unknown = null;
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = JSON.parse(data) as { type: string; response?: unknown };
      if (event.type === 'response.completed') last = event.response;
    },
  });
  parser.feed(text);
  return last;
}
