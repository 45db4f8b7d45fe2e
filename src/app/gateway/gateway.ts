import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import type { Refusal } from '../../domain/gateway/refusal.ts';
import type { Outcome } from '../../domain/session/errors.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { answerKey } from './find-turn-session.ts';
import { HistoryKeys } from './history-keys.ts';
import { learnWindow } from './learn-window.ts';
import { awaitRoom, makeRoomAtOnce } from './make-room.ts';
import { nameOf, type TurnPlan } from './plan-turn.ts';
import type { Recorded } from './record-answer.ts';
import type { TurnRequest } from './turn-request.ts';

/** What the gateway works with; planning and recording may be done in another thread. */
export type GatewayDeps = Pick<
  Ports,
  | 'store'
  | 'world'
  | 'dispatch'
  | 'clock'
  | 'newId'
  | 'cancelJob'
  | 'contextWindowOf'
  | 'modelRefusal'
> & {
  plan: (request: TurnRequest) => Promise<Outcome<TurnPlan>>;
  record: (recorded: Recorded) => Promise<Outcome<null>>;
  /** How long a request waits for a compaction that it needs, in seconds. */
  wait_seconds: number;
  log: { error(fields: object, message: string): void };
};

/** What goes upstream, and what the client is told of it. */
export type Turn =
  | { kind: 'turn'; plan: Planned; body: string | null; status: string }
  /** As it came, but for items of ours: nothing of it is recorded. */
  | { kind: 'bypass'; body: string | null; status: string }
  /** It is answered here: with one compaction item, which this is the content of. */
  | { kind: 'compacted'; content: string }
  /** It holds what nobody can send on. */
  | { kind: 'refused'; refusal: Refusal };

type Planned = Extract<TurnPlan, { kind: 'turn' }>;

/** What is not known after this long is not waited for, in milliseconds. */
const PATIENCE_MS = 15_000;
/** The same of answers that are still being written down. */
const RECORDING_MS = 2_000;

export class Gateway {
  readonly #deps: GatewayDeps;
  /** Answers on their way into the log, by the tenant and the owner of their sessions. */
  readonly #recording = new Map<string, Set<Promise<void>>>();

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  /** Never rejects: whatever fails here, the request goes upstream as it came. */
  async turn(request: TurnRequest, signal: AbortSignal): Promise<Turn> {
    try {
      await this.#settled(request);
      let plan = await this.#planned(request);
      if (plan.kind === 'turn' && plan.isFull) {
        await awaitRoom(this.#deps, refOf(request, plan), this.#deps.wait_seconds, signal);
        plan = await this.#planned(request);
      }
      if (plan.kind === 'turn' && plan.isFull && !signal.aborted) {
        await makeRoomAtOnce(this.#deps, refOf(request, plan), signal);
        plan = await this.#planned(request);
      }
      return turnOf(plan);
    } catch (error) {
      return this.#bypassed(error);
    }
  }

  /**
   * What to send in place of a turn that the provider has found too long; null when nothing shorter can
   * be made of it. `refusal`: what the provider has answered.
   */
  async shorter(
    request: TurnRequest,
    { plan, body }: Extract<Turn, { kind: 'turn' }>,
    refusal: string,
    signal: AbortSignal,
  ): Promise<Extract<Turn, { kind: 'turn' }> | null> {
    try {
      const ref = refOf(request, plan);
      if (request.headers['x-palimpsest-context-window'] === undefined) {
        await learnWindow(this.#deps, ref, refusal);
      }
      await makeRoomAtOnce(this.#deps, ref, signal);
      const turn = turnOf(await this.#planned(request));
      if (turn.kind !== 'turn' || turn.body === null) return null;
      return turn.body.length < (body ?? request.text).length ? turn : null;
    } catch (error) {
      this.#bypassed(error);
      return null;
    }
  }

  /** Writes down an answer; the next request of the same owner waits for it, the client does not. */
  recorded(request: TurnRequest, plan: Planned, read: () => Promise<Answer | null>): void {
    const written = this.#record(request, plan, read).catch((error: unknown) =>
      this.#lost(nameOf(error)),
    );
    const owner = ownerOf(request);
    const all = this.#recording.get(owner) ?? new Set();
    this.#recording.set(owner, all.add(written));
    void written.finally(() => {
      all.delete(written);
      if (all.size === 0 && this.#recording.get(owner) === all) this.#recording.delete(owner);
    });
  }

  async #record(
    request: TurnRequest,
    plan: Planned,
    read: () => Promise<Answer | null>,
  ): Promise<void> {
    const answer = await read();
    if (answer === null) return;
    const { history } = plan;
    const after = new HistoryKeys(formatOf(request.protocol), history).add(answer.items);
    const [newest] = answer.isWhole ? after.keys() : [];
    const keys = [
      ...plan.keys,
      ...(newest === undefined ? [] : [newest]),
      ...(answer.id === null ? [] : [answerKey(request, answer.id)]),
    ];
    const ref = refOf(request, plan);
    const done = await this.#deps.record({ ref, version: plan.version, answer, keys });
    if (!done.ok) this.#lost(done.rejection.code);
  }

  async #settled(request: TurnRequest): Promise<void> {
    const all = this.#recording.get(ownerOf(request));
    if (all !== undefined) await within(RECORDING_MS, Promise.all(all)).catch(() => {});
  }

  async #planned(request: TurnRequest): Promise<TurnPlan> {
    const planned = await within(PATIENCE_MS, this.#deps.plan(request));
    if (planned.ok) return planned.value;
    throw new RefusedError(planned.rejection.code);
  }

  #bypassed(error: unknown): Turn {
    const reason = nameOf(error);
    // Not the message: it may quote what somebody said in a conversation.
    this.#deps.log.error({ reason }, 'a request went past the gateway');
    return { kind: 'bypass', body: null, status: `bypassed; reason=${reason}` };
  }

  #lost(reason: string): void {
    this.#deps.log.error({ reason }, 'an answer could not be recorded: the next request tells it');
  }
}

/** What the app refuses, by the code that it gives. */
class RefusedError extends Error {
  override readonly name: string;

  constructor(code: string) {
    super(code);
    this.name = code;
  }
}

class TimeoutError extends Error {
  override readonly name = 'timeout';
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function turnOf(plan: TurnPlan): Turn {
  switch (plan.kind) {
    case 'pass':
      return { kind: 'bypass', body: plan.body, status: `bypassed; reason=${plan.reason}` };
    case 'compacted':
      return plan;
    case 'refused':
      return plan;
    case 'turn': {
      const { body, saved } = plan;
      return {
        kind: 'turn',
        plan,
        body,
        status: body === null ? 'forwarded' : `compacted; saved=${saved}`,
      };
    }
    default:
      return plan satisfies never;
  }
}

function refOf({ tenant }: TurnRequest, { session_id }: Planned): SessionRef {
  return { tenant, session_id };
}

function ownerOf({ tenant, owner }: TurnRequest): string {
  return JSON.stringify([tenant, owner]);
}
