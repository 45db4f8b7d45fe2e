import { isJsonObject, type JsonObject, objectsIn, stringField } from '../../json.ts';
import { ChatCallPlaces } from '../answers/chat-call-places.ts';
import { eventData, withFields } from './event-data.ts';
import type { IsOwn, RoundOfStream, StreamEvent, StreamSplice } from './recall-protocol.ts';
import { usageOfRounds } from './usage.ts';

/** A call of this round: where it stands for the client, or null: it is held back. */
type Call = { place: number | null };

/** Several streams of the Chat Completions API as one: one id, calls counted on, one end. */
export class ChatSplice implements StreamSplice {
  readonly #isOwn: IsOwn;
  /** Of each round. */
  readonly #usages: JsonObject[] = [];
  #isFirst = true;
  #id: string | null = null;
  /** Calls that the client has been sent. */
  #sent = 0;
  #hasSpoken = false;
  #calls = new Map<number, Call>();
  #places = new ChatCallPlaces();
  #events: JsonObject[] = [];
  #held: StreamEvent[] = [];
  #finish: string | null = null;
  #isClosed = false;

  constructor(isOwn: IsOwn) {
    this.#isOwn = isOwn;
  }

  take(event: StreamEvent): StreamEvent[] {
    if (event.data === '[DONE]') {
      this.#isClosed = true;
      this.#held.push(event);
      return [];
    }
    const data = eventData(event);
    if (data === null) return [event];
    this.#events.push(data);
    this.#id ??= stringField(data, 'id') ?? null;
    const choice = objectsIn(data.choices)[0];
    if (isJsonObject(data.usage)) this.#noteUsage(data.usage);
    if (choice === undefined) {
      // The figures come behind the last words.
      if (!isJsonObject(data.usage)) return [event];
      this.#held.push(event);
      return [];
    }
    const delta = this.#deltaOf(choice);
    if (typeof choice.finish_reason === 'string') {
      this.#finish = choice.finish_reason;
      if (isJsonObject(choice.delta) && Object.keys(choice.delta).length === 0) {
        this.#held.push(event);
        return [];
      }
      this.#held.push(withFields(event, { choices: [{ ...choice, delta: {} }] }));
      if (Object.keys(delta).length === 0) return [];
      const { usage: _, ...said } = data;
      const choices = [{ ...choice, delta, finish_reason: null }];
      return [{ ...event, data: JSON.stringify(this.#withId({ ...said, choices })) }];
    }
    if (delta === choice.delta && this.#isFirst) return [event];
    if (Object.keys(delta).length === 0) return [];
    return [withFields(event, this.#withId({ choices: [{ ...choice, delta }] }))];
  }

  say(text: string): StreamEvent[] {
    const choices = [{ index: 0, delta: { content: text }, finish_reason: null }];
    const before = this.#events.find(({ object }) => typeof object === 'string') ?? {};
    const { usage: _, ...chunk } = before;
    return [{ name: undefined, data: JSON.stringify(this.#withId({ ...chunk, choices })) }];
  }

  round(): RoundOfStream {
    return {
      events: this.#events,
      // Some servers leave out the `[DONE]`.
      isOver: this.#isClosed || this.#finish !== null,
      isClosed: this.#isClosed,
      waits: this.#finish === 'tool_calls' || this.#finish === 'stop',
      hasSpoken: this.#hasSpoken,
    };
  }

  next(): void {
    this.#isFirst = false;
    this.#calls = new Map();
    this.#places = new ChatCallPlaces();
    this.#events = [];
    this.#held = [];
    this.#finish = null;
    this.#isClosed = false;
    this.#usages.push({});
  }

  end(): StreamEvent[] {
    const calls = [...this.#calls.values()];
    const hasOwn = calls.some(({ place }) => place === null);
    if (this.#isFirst && !hasOwn) return this.#held;
    const isForNobody = hasOwn && calls.every(({ place }) => place === null);
    return this.#held.map((event) => {
      const data = eventData(event);
      if (data === null) return event;
      const usage = isJsonObject(data.usage)
        ? usageOfRounds(this.#usages, 'completion_tokens')
        : null;
      const [choice] = objectsIn(data.choices);
      const isRenamed = isForNobody && choice?.finish_reason === 'tool_calls';
      return withFields(event, {
        ...this.#withId({}),
        ...(isRenamed && { choices: [{ ...choice, finish_reason: 'stop' }] }),
        ...(usage !== null && { usage }),
      });
    });
  }

  refused(body: JsonObject | null): StreamEvent[] {
    const error = isJsonObject(body?.error)
      ? body.error
      : {
          message: 'the upstream broke off before the answer was complete',
          type: 'server_error',
          param: null,
          code: null,
        };
    return [{ name: undefined, data: JSON.stringify({ error }) }];
  }

  /** What of a choice the client is sent: the same object where that is all of it. */
  #deltaOf({ delta }: JsonObject): JsonObject {
    if (!isJsonObject(delta)) return {};
    const { role, tool_calls: calls, ...words } = delta;
    const kept = objectsIn(calls).flatMap((call) => this.#placed(call));
    const said = stringField(words, 'content') ?? stringField(words, 'refusal') ?? '';
    this.#hasSpoken ||= said !== '' || kept.length > 0;
    const isSame = objectsIn(calls).every((call, index) => call === kept[index]);
    if (isSame && (this.#isFirst || role === undefined)) return delta;
    return {
      // Said once; some clients would join the two.
      ...(this.#isFirst && role !== undefined && { role }),
      ...words,
      ...(kept.length > 0 && { tool_calls: kept }),
    };
  }

  #placed(call: JsonObject): JsonObject[] {
    const at = this.#places.of(call);
    const known = this.#calls.get(at) ?? this.#begun(call, at);
    if (known.place === null) return [];
    return [known.place === call.index ? call : { ...call, index: known.place }];
  }

  /** Its first piece names the tool. */
  #begun(call: JsonObject, at: number): Call {
    const name = isJsonObject(call.function) ? stringField(call.function, 'name') : undefined;
    const isOurs = name !== undefined && this.#isOwn(name);
    const begun = { place: isOurs ? null : this.#sent };
    if (!isOurs) this.#sent += 1;
    this.#calls.set(at, begun);
    return begun;
  }

  #withId(fields: JsonObject): JsonObject {
    return this.#isFirst || this.#id === null ? fields : { ...fields, id: this.#id };
  }

  #noteUsage(usage: JsonObject): void {
    if (this.#usages.length === 0) this.#usages.push({});
    this.#usages[this.#usages.length - 1] = usage;
  }
}
