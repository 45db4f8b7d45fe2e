import type { Normalised } from '../items/item.ts';
import { messageText } from '../items/message-text.ts';
import { isOfAssistant } from '../items/speaker.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Attribution } from '../policy/attribution.ts';
import type { Config } from '../policy/config.ts';
import type { Template } from '../policy/template.ts';
import { bullet, clipMiddle, safeSlice } from '../text.ts';
import type { TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { errorTellings } from './extractive/failure-lines.ts';
import type { Ledgers } from './extractive/ledgers.ts';
import type { Tellings } from './extractive/line.ts';
import { constraintTellings, firstTellings, latestTellings } from './extractive/user-lines.ts';
import {
  currentTellings,
  decisionTellings,
  nextTellings,
  runTellings,
  todoTellings,
} from './extractive/work-lines.ts';
import { filterForSummary } from './filter.ts';
import type { Material } from './material.ts';

type PacketOrder = {
  /** The context before the compaction, and what the log up to its end says. */
  material: readonly Material[];
  ledger: Ledger;
  attribution: Attribution;
  /** With the places `{{reason}}`, `{{goal}}`, `{{state}}`, `{{decisions}}`, `{{next}}`, `{{cut}}`, `{{tail}}`. */
  template: Template;
  config: Config;
  count: TextCounter;
};

/** Parts that the notes are divided into, and their shares of the room beside the tail. */
const SHARES = { goal: 0.3, state: 0.3, decisions: 0.25, next: 0.15 } as const;
type Part = keyof typeof SHARES;

const MOST_CHARACTERS = 2_000;
const MOST_ERRORS = 2;
const NOTHING = '- Nothing of this kind stands in the log.';

/**
 * The continuation packet as the service writes it (SPEC section 12): goal, state, invariants and
 * decisions, next step, the last words of the assistant verbatim, and the call to go on; at most
 * `packet_max_tokens`. The same text for the same context: no model, no clock.
 */
export function composePacket(order: PacketOrder): string {
  const { material, ledger, attribution, template, config, count } = order;
  const items = filterForSummary(
    material
      .filter(
        ({ entry }) =>
          entry.origin !== 'initial' &&
          entry.origin !== 'pinned' &&
          entry.origin !== 'instructions',
      )
      .map(({ item }) => item),
  );
  const lastText = lastAssistantText(items);
  const tail = endOf(lastText, config.packet_max_tail_chars);
  const notes = notesOf({ covered: ledger, standing: ledger, verbatim: [] });
  let room = config.packet_max_tokens - count(template.text) - count(tail);
  let rest = 1;
  const written = (part: Part): string => {
    const share = Math.max(0, Math.floor((room * SHARES[part]) / rest));
    const lines = linesWithin(notes[part], share, count);
    room -= count(lines);
    rest -= SHARES[part];
    return lines === '' ? NOTHING : lines;
  };
  const places = new Map([
    ['reason', reasonOf(attribution)],
    ['goal', written('goal')],
    ['state', written('state')],
    ['decisions', written('decisions')],
    ['next', written('next')],
    ['cut', tail.length < lastText.length ? ` (the last ${tail.length} characters)` : ''],
    ['tail', tail === '' ? '(none)' : tail],
  ]);
  // In one go: what is put in may hold braces, too.
  const text = template.text.replace(/\{\{(\w+)\}\}/g, (all, name) => places.get(name) ?? all);
  return truncateMiddle(text, config.packet_max_tokens, count);
}

function notesOf(ledgers: Ledgers): Record<Part, string[]> {
  const { covered } = ledgers;
  // The last words stand in the packet as they are.
  const before = { ...covered, said: covered.said.slice(1) };
  const some = (tellings: Tellings) => textsOf(tellings, 1);
  const all = (tellings: Tellings) => textsOf(tellings, tellings.length - 1);
  return {
    goal: [...all(latestTellings(ledgers)), ...all(firstTellings(ledgers))],
    state: [
      ...some(currentTellings({ ...ledgers, covered: before })),
      ...some(todoTellings(covered)),
      ...textsOf(runTellings(covered), 0),
      ...some(errorTellings(ledgers)).slice(-MOST_ERRORS),
    ],
    decisions: [...some(constraintTellings(ledgers)), ...some(decisionTellings(covered))],
    next: textsOf(nextTellings(ledgers), 0),
  };
}

function textsOf(tellings: Tellings, level: number): string[] {
  return (tellings[level] ?? tellings.at(-1))?.().map(({ text }) => text) ?? [];
}

/** Lines as a list, in their order, as many as fit into so many tokens. */
function linesWithin(texts: readonly string[], tokens: number, count: TextCounter): string {
  const lines: string[] = [];
  let left = tokens;
  for (const text of texts) {
    const line = bullet(clipMiddle(text, Math.min(MOST_CHARACTERS, left * 2)));
    const cost = count(`${line}\n`);
    if (cost > left) continue;
    lines.push(line);
    left -= cost;
  }
  return lines.join('\n');
}

/** What the assistant has said last; '' when it has not said anything. */
function lastAssistantText(items: readonly Normalised[]): string {
  for (const item of items.toReversed()) {
    if (!isOfAssistant(item)) continue;
    const text = messageText(item);
    if (text.trim() !== '') return text;
  }
  return '';
}

/** The last so many characters of a text; the two halves of one that takes two stay together. */
function endOf(text: string, characters: number): string {
  return safeSlice(text, Math.max(0, text.length - characters), text.length);
}

function reasonOf({ path, percent_remaining, boundaries }: Attribution): string {
  if (path === 'request' || path === 'command') return 'somebody asked for it';
  const left =
    percent_remaining === null
      ? 'it had become large'
      : `only ${percent_remaining} % of the window was left`;
  if (boundaries.length === 0) return left;
  return `${left} and the work had come to a natural boundary (${boundaries.join(', ')})`;
}
