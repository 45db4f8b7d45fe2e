import { sumTokens, type View } from '../context/view.ts';
import { codecFor } from '../items/codecs.ts';
import type { Item, Normalised, Usage } from '../items/item.ts';
import { messageText } from '../items/message-text.ts';
import { withoutStoredReasoning } from '../items/openai-responses/stateless.ts';
import { isProviderCompaction } from '../items/provider-compaction.ts';
import type { Json } from '../json.ts';
import type { FullResult } from '../session/complete-compaction.ts';
import type { Entry } from '../session/entry.ts';
import { NOTHING_LEFT_OUT } from '../session/events.ts';
import type { Settings } from '../session/head.ts';
import { measureItem } from '../tokens/measure.ts';
import { entryMaker, type FinishContext, fullResult } from './finish-full.ts';
import { type CutPlan, type FullPlan, isTooLarge, makesSmaller } from './full.ts';
import { readableText, reportOn } from './retention/verify.ts';

/** A compaction by the provider's own operation, up to the cut of the local one (SPEC section 13). */
export type RemotePlan = {
  kind: 'remote';
  /** The local compaction of the same part, for when the provider cannot do it. */
  full: CutPlan;
};

/** What the provider is asked to compact. */
export type RemoteInput = {
  /** What is covered, as the provider accepts it. */
  input: Item[];
  /** The system messages in front of it, as one text; they stay in the context whatever comes. */
  instructions: string | null;
};

type Provided = Pick<Settings, 'format' | 'model'>;

/** Names of models that are certainly served by somebody else. */
const FOREIGN_MODEL = /^(?:claude|gemini)/;

/**
 * The provider's own name of the session's model when OpenAI can compact the session, else null with
 * the reason in words: the format has to be OpenAI's, and so has the model as far as its name tells.
 */
export function remoteModel({
  format,
  model,
}: Provided): { model: string; reason: null } | { model: null; reason: string } {
  if (format !== 'openai-responses') {
    const reason = `it needs a session of format "openai-responses", and this one is "${format}"`;
    return { model: null, reason };
  }
  const name = model?.replace(/^openai\//, '') ?? '';
  if (name === '') return { model: null, reason: 'the session names no model' };
  if (name.includes('/') || FOREIGN_MODEL.test(name)) {
    return { model: null, reason: `the model "${model}" is not an OpenAI model` };
  }
  return { model: name, reason: null };
}

/** What the provider is given in place of a local compaction. */
export function remoteInput(view: View, full: FullPlan): RemoteInput {
  const codec = codecFor(view.format);
  const { initial, covered } = partsOf(view, full);
  const instructed = new Set(full.instructions.map(({ item }) => item));
  // A trigger that a client logged has done its work; ours goes last.
  const read = covered.filter(
    ({ item }) => !instructed.has(item) && item.type !== 'compaction_trigger',
  );
  const texts = [...initial, ...full.instructions].flatMap(({ item }) =>
    systemText(codec.normalise(item)),
  );
  return {
    input: withoutStoredReasoning(codec.render(itemsOf(read))),
    instructions: texts.length === 0 ? null : texts.join('\n\n'),
  };
}

/**
 * The items that the provider answered when they can stand for what they cover (SPEC section 13):
 * every one has its shape, exactly one is the provider's own, no call and no result stands alone, and
 * the context becomes smaller. Else the problem, in words without their content.
 */
export function checkReplacement(
  plan: FullPlan,
  output: readonly Json[],
  context: Pick<FinishContext, 'view' | 'config' | 'count'>,
): { items: Item[]; problem: null } | { items: null; problem: string } {
  const codec = codecFor(context.view.format);
  const items = output.filter((item): item is Item => codec.check(item).length === 0);
  const problem =
    items.length < output.length
      ? 'it holds an item of the wrong shape'
      : problemOf(plan, items, context);
  return problem === null ? { items, problem } : { items: null, problem };
}

function problemOf(
  plan: FullPlan,
  items: Item[],
  { view, config, count }: Pick<FinishContext, 'view' | 'config' | 'count'>,
): string | null {
  const codec = codecFor(view.format);
  const own = items.filter(isProviderCompaction);
  if (own.length !== 1) return `it holds ${own.length} compaction items instead of one`;
  if (
    !own.every(
      ({ encrypted_content: content }) => typeof content === 'string' && content.trim() !== '',
    )
  )
    return 'its compaction item is empty';
  // A message of the user after it shows what it leaves open: nothing may be.
  const calls = callsBeside(plan, items);
  const behind = codec.render(itemsOf(partsOf(view, plan).kept));
  const closed = [...itemsOf(calls), ...items, codec.message('user', 'Go on.'), ...behind];
  if (codec.violations(closed).length > 0) return 'the provider itself would refuse it as input';
  const replacement = items.reduce(
    (sum, item) => sum + measureItem(codec, item, count, config).tokens,
    sumTokens([...plan.instructions, ...calls]),
  );
  return makesSmaller(plan, replacement, config)
    ? null
    : `it would not make the context smaller (${replacement} tokens for ${plan.covered_tokens})`;
}

/** The calls that the model does not wait for, as far as the provider has not given them back. */
function callsBeside({ carried }: FullPlan, items: readonly Item[]): Entry[] {
  const given = new Set(items.map(({ call_id }) => call_id));
  return carried.filter(({ item }) => !isProviderCompaction(item) && !given.has(item.call_id));
}

/** What a provider gave, and what that has cost. */
export type Replacement = {
  items: Item[];
  /** `provider/model` */
  model: string;
  usage: Usage;
  remote_ms: number;
};

/**
 * Builds what the compaction puts in place of everything up to the cut: instructions, boundary, calls
 * whose result is to come or stands behind the cut, the provider's items as they came, hook items as far
 * as the context stays smaller and under its limit, and the ghost snapshots that the provider has not
 * seen. There is no summary text: what was kept is for its own models only.
 */
export function finishRemote(
  plan: FullPlan,
  replacement: Replacement,
  context: FinishContext,
): FullResult {
  const entry = entryMaker(context);
  const provided = [
    ...callsBeside(plan, replacement.items),
    ...replacement.items.map((item) => entry('remote', item)),
  ];
  const hooks = (context.hook_items ?? []).map((item) => entry('hook', item));
  const replaced = () => sumTokens([...plan.instructions, ...provided, ...hooks]);
  while (hooks.length > 0 && isTooLarge(plan, replaced(), context.config)) hooks.pop();
  // What the provider keeps to itself nobody can read.
  const said = readableText(itemsOf(provided), context.view.format);
  const retention = reportOn(said, { ...context, plan });
  return fullResult('remote', plan, context, [...provided, ...hooks, ...plan.ghosts], '', {
    summarizer: 'remote',
    model: replacement.model,
    template: '',
    usage: replacement.usage,
    left_out: NOTHING_LEFT_OUT,
    truncated_turns: 0,
    files_restored: 0,
    summarizer_ms: replacement.remote_ms,
    ...(retention !== null && { retention }),
  });
}
function systemText(item: Normalised): string[] {
  if (item.kind !== 'message' || item.role !== 'system') return [];
  const text = messageText(item);
  return text === '' ? [] : [text];
}

function partsOf(view: View, full: FullPlan) {
  const { entries } = view;
  const initial = entries.filter(({ origin }) => origin === 'initial');
  const first = entries.findIndex(({ origin }) => origin !== 'initial' && origin !== 'pinned');
  const cut = entries.findIndex(({ seq, origin }) => origin === 'log' && seq === full.through) + 1;
  const covered = entries.slice(first, cut).filter(({ pinned }) => !pinned);
  return { initial, covered, kept: entries.slice(cut) };
}

function itemsOf(entries: readonly Entry[]): Item[] {
  return entries.map(({ item }) => item);
}
