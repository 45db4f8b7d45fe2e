import type { Protocol } from '../../domain/gateway/protocol.ts';
import type { Refusal } from '../../domain/gateway/refusal.ts';
import { roughlySaved, roughTokens } from '../../domain/gateway/rough-tokens.ts';
import { windowTold } from '../../domain/gateway/too-long.ts';
import { lastUsed } from '../last-used.ts';
import { mayHoldOurs } from '../opaque-content.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';
import { sessionKey } from '../session-key.ts';
import type { ForClient } from './compact-for-client.ts';
import { type NamedBy, namedSession } from './find-turn-session.ts';
import { GoingAhead } from './going-ahead.ts';
import { learnWindow } from './learn-window.ts';
import { awaitRoom, makeRoomAtOnce } from './make-room.ts';
import { MissedTurns } from './missed-turns.ts';
import type { Offering } from './plan-deps.ts';
import { nameOf, type PlannedTurn, type TurnPlan } from './plan-turn.ts';
import { type RecallRounds, recallRounds } from './recall-rounds.ts';
import type { Recorded } from './record-answer.ts';
import type { Recordings } from './recordings.ts';
import { RefusedOffers, withoutOffer } from './refused-offers.ts';
import type { Revised, Revision } from './revise-turn.ts';
import { readable, type TurnAsked } from './turn-request.ts';
import type { TasksOfTurns } from './turn-tasks.ts';
import type { TurnTold } from './turn-told.ts';
import { within } from './within.ts';

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
> &
  Offering &
  TasksOfTurns & {
    /** How long a request waits for a compaction that it needs, in seconds. */
    wait_seconds: number;
    /** By the tenant and the owner of their sessions. */
    recordings: Recordings;
    /** Told what came of each request. */
    onTurn: (told: TurnTold) => void;
    log: { error(fields: object, message: string): void };
  };

/** What goes upstream, and what the client is told of it. */
export type Turn =
  | { kind: 'turn'; plan: PlannedTurn; body: string | null; status: string }
  /** As it came, but for items of ours: nothing of it is recorded. */
  | { kind: 'bypass'; body: string | null; reason: string }
  /** It is answered here: with what stands for the history. */
  | { kind: 'compacted'; by: Compacted; status: string }
  /** It holds what nobody can send on. */
  | { kind: 'refused'; refusal: Refusal };

/** What goes upstream as its plan says. */
export type PlannedSend = Extract<Turn, { kind: 'turn' }>;
type Compacted = Extract<ForClient, { kind: 'item' | 'summary' }>;

/** What is not known after this long is not waited for, in milliseconds. */
const PATIENCE_MS = 15_000;
/** Nor, once that has passed, for what the same threads would have to do next. */
const LATE_MS = 2_000;
/** Its client has gone before it was understood: nobody is to be told, and its next request tells all of it. */
const GONE: Turn = { kind: 'bypass', body: null, reason: 'client_gone' };

/** A summary that asks no model takes no longer. */
const OFFLINE_MS = 30_000;

const MOST_CRAMMED = 10_000;
/** For so long, while workers are away; then it is tried again. */
const CRAMMED_MS = 60_000;

export class Gateway {
  readonly #deps: GatewayDeps;
  /** Sessions that no worker has made room in: their next requests do not wait as well. */
  readonly #crammed = lastUsed<true>(MOST_CRAMMED, CRAMMED_MS);

  readonly #refused = new RefusedOffers();
  readonly #missed: MissedTurns;
  readonly #ahead: GoingAhead;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#missed = new MissedTurns(deps);
    this.#ahead = new GoingAhead(deps);
  }

  /** Whether a request may go upstream before its turn is known, which may still be another. Never rejects. */
  goesAhead(request: NamedBy, bytes: Buffer): Promise<boolean> {
    return this.#ahead.goes(request, bytes, () => this.#deps.unread(request, bytes));
  }

  /** Never rejects: whatever fails here, the request goes upstream as it came. */
  async turn(request: TurnAsked, signal: AbortSignal): Promise<Turn> {
    const started = performance.now();
    const turn = await this.#turn(request, signal).catch(async (error: unknown): Promise<Turn> => {
      if (signal.aborted) return GONE;
      const reason = this.#bypassed(request, error);
      // What is ours nobody else can open.
      const isLate = reason === 'timeout' && !mayHoldOurs(request.body);
      const patience = isLate ? LATE_MS : PATIENCE_MS;
      const revised = await this.#revised(request, { window: null }, patience);
      if (revised?.kind === 'refused') return revised;
      const body = revised?.kind === 'revised' ? revised.body : null;
      return { kind: 'bypass', body, reason };
    });
    if (turn === GONE) return turn;
    const seconds = (performance.now() - started) / 1000;
    this.#deps.onTurn({ protocol: request.protocol, ...toldOf(turn), seconds });
    if (turn.kind === 'turn') void this.#missed.write(refOf(request, turn.plan));
    const isAsItCame = turn.kind === 'turn' && turn.body === null;
    this.#ahead.note(request, isAsItCame ? turn.plan.session_id : null);
    return turn;
  }

  async #turn(request: TurnAsked, signal: AbortSignal): Promise<Turn> {
    await this.#deps.recordings.settled(ownerOf(request));
    let plan = await this.#planned(request, signal);
    if (plan.kind === 'asks') return await this.#compacted(request);
    if (plan.kind === 'turn' && plan.isFull && !this.#isCrammed(request, plan)) {
      await awaitRoom(this.#deps, refOf(request, plan), this.#deps.wait_seconds, signal);
      plan = await this.#planned(request, signal);
      if (plan.kind === 'turn' && plan.isFull && !signal.aborted) {
        await makeRoomAtOnce(this.#deps, refOf(request, plan), this.#deps.wait_seconds, signal);
        plan = await this.#planned(request, signal);
      }
      if (plan.kind === 'turn' && plan.isFull)
        this.#crammed.set(sessionKey(refOf(request, plan)), true);
    }
    if (plan.kind === 'turn' && plan.isFull) return await this.#fitted(request, plan);
    return turnOf(plan);
  }

  /** Whether it was waited for room in this session just now, in vain. */
  #isCrammed(request: TurnAsked, plan: PlannedTurn): boolean {
    return this.#crammed.has(sessionKey(refOf(request, plan)));
  }

  /** No compaction has made room, since its workers are away: this request is shortened by itself. */
  async #fitted(request: TurnAsked, plan: PlannedTurn): Promise<Turn> {
    const text = plan.body ?? readable(request).text;
    const body = plan.body === null ? request.body : Buffer.from(plan.body);
    const revised = await this.#revised({ ...request, body }, { window: plan.window });
    if (revised?.kind !== 'revised') return turnOf(plan);
    const saved = plan.saved + roughlySaved(text.length, revised.body.length);
    return turnOf({ ...plan, body: revised.body, is_replaced: true, saved, isFitted: true });
  }

  /** Null where that fails as well. */
  async #revised(
    request: TurnAsked,
    revision: Revision,
    patience = PATIENCE_MS,
  ): Promise<Revised | null> {
    try {
      const revised = await within(patience, this.#deps.revise(request, revision));
      return revised.ok ? revised.value : null;
    } catch {
      return null;
    }
  }

  /** A request that asks for no answer, with items of ours opened. */
  async opened(request: TurnAsked): Promise<Revised> {
    return (await this.#revised(request, { window: 'any' })) ?? { kind: 'same' };
  }

  /** The body of a request that went past us, for the window that its provider tells of; null: none. */
  async shorterBypass(request: TurnAsked, refusal: string): Promise<string | null> {
    const window = windowTold(refusal, roughTokens(readable(request).text.length));
    const revised = await this.#revised(request, { window });
    return revised?.kind === 'revised' ? revised.body : null;
  }

  /** Counts a request that was not read. */
  unread(protocol: Protocol, reason: string): void {
    this.#deps.onTurn({ protocol, status: 'bypassed', reason, seconds: 0 });
  }

  /**
   * What to send in place of a turn that the provider has found too long; null when nothing shorter can
   * be made of it. `refusal`: what the provider has answered.
   */
  async shorter(
    request: TurnAsked,
    { plan, body }: PlannedSend,
    refusal: string,
    signal: AbortSignal,
  ): Promise<PlannedSend | null> {
    try {
      const ref = refOf(request, plan);
      if (request.headers['x-palimpsest-context-window'] === undefined) {
        const { model_window } = plan;
        await learnWindow(this.#deps, ref, { refusal, model_window });
      }
      await makeRoomAtOnce(this.#deps, ref, this.#deps.wait_seconds, signal);
      const turn = turnOf(await this.#planned(request, signal));
      if (turn.kind !== 'turn') return null;
      // As it came, it may name more than it holds: answers and items that its provider has kept.
      const isShorter = (text: string | null) =>
        text !== null && (body === null || text.length < body.length);
      if (turn.plan.is_replaced && isShorter(turn.body)) return turn;
      const window = windowTold(refusal, roughTokens((body ?? readable(request).text).length));
      const fitted = await this.#fitted(request, { ...turn.plan, window });
      return fitted.kind === 'turn' && isShorter(fitted.body) ? fitted : null;
    } catch (error) {
      if (!signal.aborted) this.#bypassed(request, error);
      return null;
    }
  }

  /** A turn without our tools, which its provider may have refused; null where it offers none. */
  withoutOffer(request: TurnAsked, { plan }: PlannedSend): PlannedSend | null {
    const plain = withoutOffer(request, plan);
    return plain && sendOf(plain);
  }

  /** Its provider takes a turn without our tools: the next ones of this model in its session offer none. */
  refusesOffer(request: TurnAsked, { plan }: PlannedSend): void {
    this.#refused.note(request, plan);
  }

  /** Where calls of our tools in the answer to a turn are answered here; null: nowhere. */
  recall(request: TurnAsked, { plan, body }: PlannedSend): RecallRounds | null {
    return recallRounds(this.#deps, request, plan, body);
  }

  /** Writes down an answer; the next request of the same owner waits for it, the client does not. */
  recorded(request: TurnAsked, plan: PlannedTurn, read: () => Promise<Recorded['raw']>): void {
    const written = this.#record(request, plan, read).catch((error: unknown) =>
      this.#lost(nameOf(error)),
    );
    this.#deps.recordings.add(ownerOf(request), written);
  }

  async #record(
    { body: _, ...request }: TurnAsked,
    { session_id, version, keys, history, isStored, isFitted, isDelta }: PlannedTurn,
    read: () => Promise<Recorded['raw']>,
  ): Promise<void> {
    const plan = { session_id, version, keys, history, isStored, isFitted, isDelta };
    const done = await this.#deps.record({ request, plan, raw: await read() });
    if (!done.ok) this.#lost(done.rejection.code);
  }

  async #planned(request: TurnAsked, signal: AbortSignal): Promise<TurnPlan> {
    const planned = await within(PATIENCE_MS, this.#deps.plan(request, signal));
    if (!planned.ok) throw new RefusedError(planned.rejection.code);
    const plan = planned.value;
    return plan.kind === 'turn' ? this.#refused.heeded(request, plan) : plan;
  }

  async #compacted(request: TurnAsked): Promise<Turn> {
    const { wait_seconds: wait, compact } = this.#deps;
    const done = await within(wait * 1000 + OFFLINE_MS, compact(request, wait));
    if (!done.ok) throw new RefusedError(done.rejection.code);
    const by = done.value;
    switch (by.kind) {
      case 'item':
      case 'summary':
        return { kind: 'compacted', by, status: `compacted; saved=${by.saved}` };
      case 'pass':
        return { kind: 'bypass', body: null, reason: by.reason };
      case 'refused':
        return by;
      default:
        return by satisfies never;
    }
  }

  #bypassed(request: TurnAsked, error: unknown): string {
    const reason = nameOf(error);
    const ref = namedSession(request);
    if (ref !== null) void this.#missed.note(ref, reason);
    // Not the message: it may quote what somebody said in a conversation.
    this.#deps.log.error({ reason }, 'a request went past the gateway');
    return reason;
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

function turnOf(plan: TurnPlan): Turn {
  switch (plan.kind) {
    case 'pass':
      return { kind: 'bypass', body: null, reason: plan.reason };
    case 'asks':
      // It has come while this one was planned again: the same text asks the same.
      throw new RefusedError('compaction');
    case 'refused':
      return plan;
    case 'turn':
      return sendOf(plan);
    default:
      return plan satisfies never;
  }
}

function sendOf(plan: PlannedTurn): PlannedSend {
  const { body, is_replaced, saved } = plan;
  const status = is_replaced ? `compacted; saved=${saved}` : 'forwarded';
  return { kind: 'turn', plan, body, status };
}

function toldOf(turn: Turn): Pick<TurnTold, 'status' | 'reason'> {
  switch (turn.kind) {
    case 'turn':
      return { status: turn.plan.is_replaced ? 'compacted' : 'forwarded', reason: null };
    case 'bypass':
      return { status: 'bypassed', reason: turn.reason };
    case 'compacted':
      return { status: 'answered', reason: null };
    case 'refused':
      return { status: 'refused', reason: null };
    default:
      return turn satisfies never;
  }
}

function refOf({ tenant }: TurnAsked, { session_id }: PlannedTurn): SessionRef {
  return { tenant, session_id };
}

function ownerOf({ tenant, owner }: TurnAsked): string {
  return JSON.stringify([tenant, owner]);
}
