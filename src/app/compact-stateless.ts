import type { Summary } from '../domain/compaction/finish-full.ts';
import {
  type Conversation,
  finishStateless,
  planStateless,
  type StatelessPlan,
  type StatelessResult,
  statelessConfig,
} from '../domain/compaction/stateless.ts';
import type { Format } from '../domain/items/codecs.ts';
import type { Usage } from '../domain/items/item.ts';
import type { Config } from '../domain/policy/config.ts';
import { DEFAULT_CONTEXT_WINDOW } from '../domain/policy/profiles.ts';
import { accept, type Outcome } from '../domain/session/errors.ts';
import { NO_TOKENS } from '../domain/session/summarizer-usage.ts';
import { counterFor } from '../domain/tokens/tokenizers.ts';
import { truncateMiddle } from '../domain/tokens/truncate.ts';
import type { Ports } from './ports/ports.ts';
import { prepareTokenizer } from './tokenizer.ts';

/** The prompt of a summary has no room for a whole agent's instructions, which some clients send. */
const MOST_INSTRUCTION_TOKENS = 2_000;

/** A conversation with the compaction items of ours opened; `model` is the one that it was held with. */
type Stateless = {
  model: string;
  instructions: string | null;
  conversation: Conversation;
};

/** Why there is no answer; `detail` says what to change. */
export type StatelessRefusal = {
  code: 'compaction_disabled' | 'nothing_to_compact' | 'summarizer_failed';
  detail: string;
};

/** Compacts a conversation without a session (SPEC section 13). `usage`: what the summary cost. */
export async function compactStateless(
  ports: Pick<Ports, 'world' | 'contextWindowOf' | 'loadTokenizer' | 'summarize'>,
  { model, instructions, conversation }: Stateless,
  signal: AbortSignal,
): Promise<Outcome<StatelessResult & { usage: Usage }, StatelessRefusal>> {
  const { world } = ports;
  const window = ports.contextWindowOf(model) ?? DEFAULT_CONTEXT_WINDOW;
  const config = statelessConfig(world.server, window);
  if (!config.enabled) {
    return refuse(
      'compaction_disabled',
      'compaction is switched off on this server: start it without DISABLE_COMPACT',
    );
  }
  return compactConversation(ports, conversation, { config, model, instructions }, signal);
}

type How = Pick<Stateless, 'model' | 'instructions'> & {
  config: Config;
  /** By default that of the Responses API. */
  format?: Format;
};

/** The same of a conversation whose compaction items are opened, by a configuration of the caller's. */
export async function compactConversation(
  ports: Pick<Ports, 'world' | 'loadTokenizer' | 'summarize'>,
  conversation: Conversation,
  { config, format, model, instructions }: How,
  signal: AbortSignal,
): Promise<Outcome<StatelessResult & { usage: Usage }, StatelessRefusal>> {
  await prepareTokenizer(ports, {});
  const count = counterFor(config, ports.world.tokenizers);
  const plan = planStateless(conversation, config, count, format);
  if (plan === null) {
    return refuse(
      'nothing_to_compact',
      'there is nothing to compact: input is empty, or all of it belongs to an open tool call or to ' +
        'compaction items of another service',
    );
  }
  const written = await summaryOf(ports, plan, { model, instructions }, signal);
  if (!written.ok) return written;
  const summary = written.value;
  return accept({ ...finishStateless(plan, summary), usage: summary?.usage ?? NO_TOKENS });
}

/** Null: the conversation is so short that it is carried as it is. */
async function summaryOf(
  { summarize }: Pick<Ports, 'summarize'>,
  { full, view, config, count }: StatelessPlan,
  { model, instructions }: Pick<Stateless, 'model' | 'instructions'>,
  signal: AbortSignal,
): Promise<Outcome<Summary | null, StatelessRefusal>> {
  if (full === null) return accept(null);
  const asked = instructions
    ? { instructions: truncateMiddle(instructions, MOST_INSTRUCTION_TOKENS, count) }
    : {};
  const order = { plan: full, view, config, count, model, ...asked };
  const written = await summarize(order, signal);
  return written.ok
    ? accept(written.summary)
    : refuse('summarizer_failed', `no summary could be written: ${written.message}`);
}

function refuse(code: StatelessRefusal['code'], detail: string): Outcome<never, StatelessRefusal> {
  return { ok: false, rejection: { code, detail } };
}
