import type { Answer } from '../../domain/gateway/answers/answer.ts';
import { formatOf, type Protocol } from '../../domain/gateway/protocol.ts';
import { withItems } from '../../domain/gateway/recall/offer.ts';
import { recallProtocol } from '../../domain/gateway/recall/protocols.ts';
import type {
  IsOwn,
  LookedUp,
  OwnCall,
  RecallProtocol,
} from '../../domain/gateway/recall/recall-protocol.ts';
import { roughTokens } from '../../domain/gateway/rough-tokens.ts';
import { codecFor } from '../../domain/items/codecs.ts';
import { isHidden } from '../../domain/items/hidden-rounds.ts';
import type { Item } from '../../domain/items/item.ts';
import { withoutStoredReasoning } from '../../domain/items/openai-responses/stateless.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { LookUpTool } from './look-up.ts';
import type { Offering } from './plan-deps.ts';
import type { TurnPlan } from './plan-turn.ts';
import type { TurnRequest } from './turn-request.ts';
import { within } from './within.ts';

type RecallDeps = Offering & {
  lookUp: LookUpTool;
  log: { error(fields: object, message: string): void };
};

/** The turn in which calls of ours are answered here. */
type RecallTurn = {
  ref: SessionRef;
  protocol: Protocol;
  own: RecallProtocol;
  isOwn: IsOwn;
  /** The body that was sent first. */
  text: string;
  /** In tokens. */
  window: number;
  /** How often the model may be asked again. */
  most: number;
  /** Whether the provider stores the conversation. */
  isStored: boolean;
};

/** What follows on a round: the body to ask the model with, or the end of the answer. */
export type Next =
  | { kind: 'again'; text: string }
  /** `isStopped`: it has called us once more than it may. */
  | { kind: 'over'; isStopped: boolean };

/** A look-up that takes longer is given up, in milliseconds. */
const PATIENCE_MS = 20_000;
/** The calls of one round that are answered. */
const MOST_CALLS = 16;

const FAILED = 'The history cannot be read at the moment: go on without it, or try again later.';
const TOO_MANY = `Not looked up: at most ${MOST_CALLS} calls are answered at once.`;
const TOO_LONG =
  'Not shown: it does not fit into the rest of the context. Ask for fewer items or lines.';
const LAST = '[This was the last look-up of this turn: answer with what you have.]';
const NO_MORE = 'Not looked up: this turn has had all of its look-ups.';

/** What the client reads when the model has said nothing but calls of ours. */
const STOPPED =
  '[The model went on looking things up in the history of this conversation, and was stopped there.]';

/**
 * The rounds of one answer that the client does not see: calls of our tools are answered from the log,
 * and the model is asked again (SPEC 2, section 23). Where it calls tools of the client too, the answer
 * ends there, and the results of both stand side by side in the next request (decision 0047).
 */
export class RecallRounds {
  readonly turn: RecallTurn;
  readonly #deps: RecallDeps;
  readonly #items: Item[] = [];
  #id: string | null = null;
  #text: string;
  #asked = 0;

  constructor(deps: RecallDeps, turn: RecallTurn) {
    this.#deps = deps;
    this.turn = turn;
    this.#text = turn.text;
  }

  /**
   * Takes in a round that has ended. `waits`: the model waits for the results of its calls. Never
   * rejects: what cannot be looked up is answered with that.
   */
  async next(answer: Answer, waits: boolean): Promise<Next> {
    const { own, isOwn, most } = this.turn;
    this.#id ??= answer.id;
    const split = own.split(answer.items, isOwn);
    if (!answer.isWhole) {
      // Nobody waits for these.
      this.#items.push(...split.items.filter((item) => !isHidden(item)));
      return { kind: 'over', isStopped: false };
    }
    if (split.own.length === 0) {
      this.#items.push(...split.items);
      return { kind: 'over', isStopped: false };
    }
    const isMixed = split.others > 0;
    const isLate = this.#asked >= most;
    const found = await Promise.all(
      split.own.map((call, index) => this.#found(call, { index, isLate })),
    );
    const isLast = !isMixed && waits && this.#asked + 1 === most;
    const results = this.#results(split.own, isLast ? found.map(withLast) : found);
    if (isMixed || isLate || !waits) {
      this.#items.push(...split.items, ...results);
      return { kind: 'over', isStopped: isLate && !isMixed };
    }
    const text = this.#extended(split.items, results);
    const short = this.#results(split.own, found.map(tooLong));
    const isTooLong = text === null || roughTokens(text.length) > this.turn.window;
    const sent = isTooLong ? this.#extended(split.items, short) : text;
    this.#items.push(...split.items, ...(isTooLong ? short : results));
    if (sent === null) return { kind: 'over', isStopped: false };
    this.#text = sent;
    this.#asked += 1;
    return { kind: 'again', text: sent };
  }

  /** Whether there was a call of ours. */
  get hasHidden(): boolean {
    return this.#items.some(isHidden);
  }

  /** Whether the client has been told anything. */
  get hasSpoken(): boolean {
    return this.#items.some((item) => !isHidden(item));
  }

  /** Writes down, and answers, what the client is told in place of more calls of ours. */
  stopped(): string {
    const codec = codecFor(formatOf(this.turn.protocol));
    this.#items.push(codec.message('assistant', STOPPED));
    return STOPPED;
  }

  /** The whole answer for the log. */
  answer(isWhole: boolean): Answer {
    return { id: this.#id, items: this.#items, isWhole };
  }

  async #found(
    { name, input }: OwnCall,
    { index, isLate }: { index: number; isLate: boolean },
  ): Promise<LookedUp> {
    if (isLate) return { text: NO_MORE, is_error: true };
    if (index >= MOST_CALLS) return { text: TOO_MANY, is_error: true };
    const { ref } = this.turn;
    try {
      return await within(PATIENCE_MS, this.#deps.lookUp({ ref, name, input }));
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'error';
      this.#deps.log.error({ reason }, 'a call of a tool of ours could not be answered');
      return { text: FAILED, is_error: true };
    }
  }

  #results(calls: readonly OwnCall[], found: readonly LookedUp[]): Item[] {
    return this.turn.own.results(
      calls.flatMap((call, index) => {
        const each = found[index];
        return each === undefined ? [] : [{ call, found: each }];
      }),
    );
  }

  /** As the log will be rendered in later requests: each of them extends this one. */
  #extended(items: readonly Item[], results: readonly Item[]): string | null {
    const { protocol, isStored } = this.turn;
    const codec = codecFor(formatOf(protocol));
    // Some formats want a message of the user first: there is one, in the text.
    const first = codec.message('user', 'x');
    const [, ...rendered] = codec.render([first, ...items, ...results], 'part');
    const isAsItIs = isStored || protocol !== 'responses';
    const sent = isAsItIs ? rendered : withoutStoredReasoning(rendered);
    return withItems(protocol, this.#text, sent);
  }
}

/** Null where a request offers no tool of ours. */
export function recallRounds(
  deps: RecallDeps,
  { protocol, tenant }: Pick<TurnRequest, 'protocol' | 'tenant'>,
  { session_id, recall, window, isStored }: Extract<TurnPlan, { kind: 'turn' }>,
  text: string | null,
): RecallRounds | null {
  if (recall === null || text === null) return null;
  const names = new Set(deps.offered.map(({ name }) => name));
  return new RecallRounds(deps, {
    ref: { tenant, session_id },
    protocol,
    own: recallProtocol(protocol),
    isOwn: (name) => names.has(name),
    text,
    window,
    most: recall.rounds,
    isStored,
  });
}

function withLast({ text, is_error }: LookedUp): LookedUp {
  return { text: `${text}\n${LAST}`, is_error };
}

function tooLong(): LookedUp {
  return { text: TOO_LONG, is_error: true };
}
