import { statelessConfig } from '../../domain/compaction/stateless.ts';
import { formatOf } from '../../domain/gateway/protocol.ts';
import type { Refusal } from '../../domain/gateway/refusal.ts';
import { steadyCuts } from '../../domain/gateway/steady-cuts.ts';
import { codecFor } from '../../domain/items/codecs.ts';
import type { Item } from '../../domain/items/item.ts';
import { type JsonObject, stringField } from '../../domain/json.ts';
import type { Config } from '../../domain/policy/config.ts';
import { resolveConfig } from '../../domain/policy/profiles.ts';
import { accept, type Outcome } from '../../domain/session/errors.ts';
import { withSafetyMargin } from '../../domain/tokens/count.ts';
import { measureItem } from '../../domain/tokens/measure.ts';
import { usableWindow } from '../../domain/tokens/thresholds.ts';
import { counterFor } from '../../domain/tokens/tokenizers.ts';
import { compactConversation } from '../compact-stateless.ts';
import { bodyWith, tokensBeside } from './body-with.ts';
import { windowOf } from './compact-for-client.ts';
import { expandWhereItCan } from './expand-references.ts';
import type { PlanDeps } from './plan-deps.ts';
import { readTurn } from './read-turn.ts';
import type { TurnRequest } from './turn-request.ts';

/** A request made ready for its provider from its body alone. */
export type Revised =
  /** There is nothing to change, or nothing that could be. */
  { kind: 'same' } | { kind: 'revised'; body: string } | { kind: 'refused'; refusal: Refusal };

/** `window`: the tokens that it has to fit into; null: those of its model; 'any': it is only opened. */
export type Revision = { window: number | null | 'any' };

/**
 * Opens the compaction items of ours in a request, and shortens a history that does not fit: without the
 * store, and without a model (SPEC 2, section 23, failure).
 */
export async function reviseTurn(
  deps: PlanDeps,
  request: TurnRequest,
  { window }: Revision,
): Promise<Outcome<Revised>> {
  const read = await readTurn(deps, request);
  if (read.kind === 'refused') return accept(read);
  if (read.kind === 'pass' || read.asks !== null) return accept({ kind: 'same' });
  const history = await expandWhereItCan(deps, request, read.history);
  if (history === null) return accept({ kind: 'same' });
  // What the request goes on from stays what it is.
  const body = { ...read.body, previous_response_id: null };
  const { protocol, text } = request;
  const given = { items: history.items, context: history.items };
  const opened = history.isOurs ? bodyWith(protocol, text, body, given) : null;
  const asItIs: Revised = opened === null ? { kind: 'same' } : { kind: 'revised', body: opened };
  const isDelta = typeof read.body.previous_response_id === 'string';
  if (window === 'any' || isDelta) return accept(asItIs);
  const context_window = window ?? windowOf(deps, request, body);
  const beside = tokensBeside(protocol, text);
  for (const config of waysToFit(deps, context_window)) {
    const weighed = weigh(deps, request, history.items, config);
    const room = usableWindow(config, context_window) - beside;
    if (sumOf(weighed, config) < room) return accept(asItIs);
    const shorter = await fitted(deps, request, { body, weighed, config, room });
    const revised =
      shorter && bodyWith(protocol, text, body, { items: history.items, context: shorter });
    if (revised !== null) return accept({ kind: 'revised', body: revised });
  }
  return accept(asItIs);
}

type Weighed = { item: Item; tokens: number };
type Fitting = { body: JsonObject; weighed: readonly Weighed[]; config: Config; room: number };

/** A cut stays where it is while the history grows by so much of the window. */
const STEPS_IN_WINDOW = 4;

/**
 * The history with its beginning shortened so that all of it fits; null where that cannot be. What is
 * shortened grows in steps: in between each request goes on from the one before (SPEC 2, section 23).
 */
async function fitted(
  deps: PlanDeps,
  request: TurnRequest,
  { body, weighed, config, room }: Fitting,
): Promise<Item[] | null> {
  if (!config.enabled || room <= 0) return null;
  const codec = codecFor(formatOf(request.protocol));
  const items = weighed.map(({ item }) => item);
  const sizes = weighed.map(({ tokens }) => tokens);
  const cuts = steadyCuts(codec, items, sizes, Math.ceil(room / STEPS_IN_WINDOW));
  for (const cut of new Set([...cuts, items.length])) {
    if (sumOf(weighed.slice(cut), config) >= room) continue;
    const head = await shortened(deps, request, { body, items: items.slice(0, cut), config });
    if (head === null) continue;
    const shorter = codec.render([...head, ...items.slice(cut)]);
    if (sumOf(weigh(deps, request, shorter, config), config) < room) return shorter;
  }
  return null;
}

/** First with what the profile protects, then with nothing but what has to stay. */
function waysToFit({ world }: PlanDeps, context_window: number): Config[] {
  const server = { ...world.server, summarization_model: 'extractive' };
  const own = { profile: 'default', context_window, server, session: {} } as const;
  const alone = { restore_max_files: 0, restore_todos: false, restore_plan: false, recall: false };
  return [{ ...resolveConfig(own), ...alone }, statelessConfig(server, context_window)];
}

async function shortened(
  deps: PlanDeps,
  { protocol }: TurnRequest,
  { body, items, config }: { body: JsonObject; items: Item[]; config: Config },
): Promise<Item[] | null> {
  const conversation = { items, carried: new Set<Item>(), ledger: null };
  const format = formatOf(protocol);
  const model = stringField(body, 'model') ?? '';
  const how = { config, format, model, instructions: null };
  const done = await compactConversation(deps, conversation, how, new AbortController().signal);
  return done.ok ? [...done.value.content, ...done.value.tail] : null;
}

function weigh(
  { world }: PlanDeps,
  { protocol }: TurnRequest,
  items: readonly Item[],
  config: Config,
): Weighed[] {
  const codec = codecFor(formatOf(protocol));
  const count = counterFor(config, world.tokenizers);
  return items.map((item) => ({ item, tokens: measureItem(codec, item, count, config).tokens }));
}

function sumOf(weighed: readonly Weighed[], config: Config): number {
  return withSafetyMargin(
    weighed.reduce((all, { tokens }) => all + tokens, 0),
    config,
  );
}
