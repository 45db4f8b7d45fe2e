import { isJsonObject, type JsonObject, stringField } from '../../json.ts';
import { eventData, withFields } from './event-data.ts';
import type { IsOwn, RoundOfStream, StreamEvent, StreamSplice } from './recall-protocol.ts';
import { usageOfRounds } from './usage.ts';

/** Several streams of the Messages API as one: one `message_start`, blocks counted on, one end. */
export class MessagesSplice implements StreamSplice {
  readonly #isOwn: IsOwn;
  /** Of each round. */
  readonly #usages: JsonObject[] = [{}];
  /** Blocks that the client has been sent. */
  #sent = 0;
  /** Per block of this round where it stands for the client; null: it is held back. */
  #places = new Map<number, number | null>();
  #events: JsonObject[] = [];
  /** What ends the round. */
  #held: StreamEvent[] = [];
  #stop: string | null = null;
  #isOver = false;
  #hasOwn = false;
  #hasClientCall = false;

  constructor(isOwn: IsOwn) {
    this.#isOwn = isOwn;
  }

  take(event: StreamEvent): StreamEvent[] {
    const data = eventData(event);
    if (data === null) return [event];
    this.#events.push(data);
    switch (data.type) {
      case 'message_start':
        if (isJsonObject(data.message)) this.#noteUsage(data.message);
        return this.#isFirst ? [event] : [];
      case 'content_block_start':
        return this.#begin(event, data);
      case 'content_block_delta':
      case 'content_block_stop':
        return this.#placed(event, data);
      case 'message_delta':
        this.#noteUsage(data);
        if (isJsonObject(data.delta)) this.#stop = stringField(data.delta, 'stop_reason') ?? null;
        this.#held.push(event);
        return [];
      case 'message_stop':
        this.#isOver = true;
        this.#held.push(event);
        return [];
      default:
        return [event];
    }
  }

  say(text: string): StreamEvent[] {
    const index = this.#places.size === 0 ? 0 : Math.max(...this.#places.keys()) + 1;
    const content_block = { type: 'text', text: '' };
    return [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index },
    ].flatMap((data) => this.take({ name: data.type, data: JSON.stringify(data) }));
  }

  round(): RoundOfStream {
    return {
      events: this.#events,
      isOver: this.#isOver,
      isClosed: this.#isOver,
      waits: this.#stop === 'tool_use',
      hasSpoken: this.#sent > 0,
    };
  }

  next(): void {
    this.#usages.push({});
    this.#places = new Map();
    this.#events = [];
    this.#held = [];
    this.#stop = null;
    this.#isOver = false;
    this.#hasOwn = false;
    this.#hasClientCall = false;
  }

  end(): StreamEvent[] {
    if (this.#isFirst && !this.#hasOwn) return this.#held;
    return this.#held.map((event) => {
      const data = eventData(event);
      return data?.type === 'message_delta' ? this.#ending(event, data) : event;
    });
  }

  refused(body: JsonObject | null): StreamEvent[] {
    const error = isJsonObject(body?.error)
      ? body.error
      : { type: 'api_error', message: 'the upstream broke off before the answer was complete' };
    return [{ name: 'error', data: JSON.stringify({ type: 'error', error }) }];
  }

  get #isFirst(): boolean {
    return this.#usages.length === 1;
  }

  #begin(event: StreamEvent, data: JsonObject): StreamEvent[] {
    const { index, content_block: block } = data;
    if (typeof index !== 'number' || !isJsonObject(block)) return [event];
    const isCall = block.type === 'tool_use';
    if (isCall && this.#isOwn(stringField(block, 'name') ?? '')) {
      this.#hasOwn = true;
      this.#places.set(index, null);
      return [];
    }
    this.#hasClientCall ||= isCall;
    this.#places.set(index, this.#sent);
    this.#sent += 1;
    return this.#placed(event, data);
  }

  #placed(event: StreamEvent, { index }: JsonObject): StreamEvent[] {
    const place = typeof index === 'number' ? this.#places.get(index) : undefined;
    if (place === null) return [];
    if (place === undefined || place === index) return [event];
    return [withFields(event, { index: place })];
  }

  #ending(event: StreamEvent, { delta, usage }: JsonObject): StreamEvent {
    const all = usageOfRounds(this.#usages, 'output_tokens');
    const isForNobody = this.#stop === 'tool_use' && !this.#hasClientCall;
    return withFields(event, {
      ...(isForNobody && isJsonObject(delta) && { delta: { ...delta, stop_reason: 'end_turn' } }),
      ...(isJsonObject(usage) && all !== null && { usage: this.#isFirst ? usage : all }),
    });
  }

  /** Of `message_start` and `message_delta`; the second says again what has become of the first. */
  #noteUsage({ usage }: JsonObject): void {
    if (!isJsonObject(usage)) return;
    const said = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
    this.#usages.push({ ...this.#usages.pop(), ...said });
  }
}
