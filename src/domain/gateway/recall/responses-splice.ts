import { isJsonObject, type JsonObject, stringField } from '../../json.ts';
import { eventData, withFields } from './event-data.ts';
import type { IsOwn, RoundOfStream, StreamEvent, StreamSplice } from './recall-protocol.ts';
import { isOwnCall, joinedResponse, noteItem, shownOutput } from './responses-output.ts';

/** Several streams of the Responses API as one: one response, items counted on, one end. */
export class ResponsesSplice implements StreamSplice {
  readonly #isOwn: IsOwn;
  /** The responses of the rounds that have ended, and what the client has been sent of their output. */
  readonly #bodies: JsonObject[] = [];
  readonly #output: JsonObject[] = [];
  #isFirst = true;
  #hasOwn = false;
  #id: string | null = null;
  #sent = 0;
  #sequence = 0;
  #places = new Map<number, number | null>();
  #events: JsonObject[] = [];
  /** Items of this round that have come to their end. */
  #done: JsonObject[] = [];
  #last: StreamEvent | null = null;
  #waits = false;

  constructor(isOwn: IsOwn) {
    this.#isOwn = isOwn;
  }

  take(event: StreamEvent): StreamEvent[] {
    const data = eventData(event);
    if (data === null) return [event];
    this.#events.push(data);
    const { response } = data;
    if (isJsonObject(response)) this.#id ??= stringField(response, 'id') ?? null;
    switch (data.type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return this.#isFirst ? [this.#counted(event, data)] : [];
      case 'response.output_item.added':
        return this.#begin(event, data);
      case 'response.output_item.done':
        if (isJsonObject(data.item)) this.#done.push(data.item);
        return this.#placed(event, data);
      case 'response.completed':
      case 'response.incomplete':
        this.#last = event;
        this.#waits = data.type === 'response.completed';
        if (isJsonObject(response)) this.#end(response);
        return [];
      case 'response.failed':
        return [this.#counted(event, data, this.#failed(response))];
      default:
        return this.#placed(event, data);
    }
  }

  say(text: string): StreamEvent[] {
    const item = noteItem(text);
    const output_index = this.#sent;
    const at = { output_index, content_index: 0, item_id: item.id ?? null };
    const empty = { type: 'output_text', text: '', annotations: [] };
    const part = { ...empty, text };
    this.#sent += 1;
    this.#output.push(item);
    const begun = { ...item, status: 'in_progress', content: [] };
    return [
      { type: 'response.output_item.added', output_index, item: begun },
      { type: 'response.content_part.added', ...at, part: empty },
      { type: 'response.output_text.delta', ...at, delta: text, logprobs: [] },
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ].map((data) => this.#counted({ name: data.type, data: JSON.stringify(data) }, null));
  }

  round(): RoundOfStream {
    return {
      events: this.#events,
      isOver: this.#last !== null,
      isClosed: this.#last !== null,
      waits: this.#waits,
      hasSpoken: this.#sent > 0,
    };
  }

  next(): void {
    this.#isFirst = false;
    this.#places = new Map();
    this.#events = [];
    this.#done = [];
    this.#last = null;
    this.#waits = false;
  }

  end(): StreamEvent[] {
    if (this.#last === null) return [];
    if (this.#isFirst && !this.#hasOwn) return [this.#last];
    const response = joinedResponse(this.#bodies, this.#output);
    return [this.#counted(this.#last, null, { response })];
  }

  refused(body: JsonObject | null): StreamEvent[] {
    const { code, message, param } = isJsonObject(body?.error) ? body.error : {};
    const error = {
      type: 'error',
      code: code ?? 'server_error',
      message: message ?? 'the upstream broke off before the answer was complete',
      param: param ?? null,
    };
    return [this.#counted({ name: 'error', data: JSON.stringify(error) }, null)];
  }

  #begin(event: StreamEvent, data: JsonObject): StreamEvent[] {
    const { output_index: index, item } = data;
    if (typeof index !== 'number' || !isJsonObject(item)) return [this.#counted(event, data)];
    if (isOwnCall(item, this.#isOwn)) {
      this.#hasOwn = true;
      this.#places.set(index, null);
      return [];
    }
    this.#places.set(index, this.#sent);
    this.#sent += 1;
    return this.#placed(event, data);
  }

  #placed(event: StreamEvent, data: JsonObject): StreamEvent[] {
    const { output_index: index } = data;
    const place = typeof index === 'number' ? this.#places.get(index) : undefined;
    if (place === null) return [];
    const isMoved = place !== undefined && place !== index;
    return [this.#counted(event, data, isMoved ? { output_index: place } : {})];
  }

  /** Events are numbered without a gap; `data` null: they have no number of their own yet. */
  #counted(event: StreamEvent, data: JsonObject | null, fields: JsonObject = {}): StreamEvent {
    const sequence_number = this.#sequence;
    this.#sequence += 1;
    const isCounted = data === null || typeof data.sequence_number === 'number';
    const isSame = !isCounted || data?.sequence_number === sequence_number;
    if (isSame && Object.keys(fields).length === 0) return event;
    return withFields(event, { ...fields, ...(isCounted && { sequence_number }) });
  }

  /** What it says has come of it, over all rounds. */
  #failed(response: JsonObject[string] | undefined): JsonObject {
    if (!isJsonObject(response) || (this.#isFirst && !this.#hasOwn)) return {};
    const output = [...this.#output, ...shownOutput(response.output, this.#isOwn)];
    return { response: { ...response, id: this.#id ?? response.id ?? null, output } };
  }

  #end(response: JsonObject): void {
    this.#bodies.push(response);
    // Some servers leave the output to the events before.
    const isTold = Array.isArray(response.output) && response.output.length > 0;
    this.#output.push(...shownOutput(isTold ? response.output : this.#done, this.#isOwn));
  }
}
