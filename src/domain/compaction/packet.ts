import type { View } from '../context/view.ts';
import type { Normalised } from '../items/item.ts';
import { messageText } from '../items/message-text.ts';
import { isOfAssistant } from '../items/speaker.ts';
import type { Attribution } from '../policy/attribution.ts';
import type { Config } from '../policy/config.ts';
import type { Template } from '../policy/template.ts';
import type { TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { type Facts, gatherFacts } from './extractive/facts.ts';
import type { Topic } from './extractive/headings.ts';
import type { Point } from './extractive/point.ts';
import { collectPoints } from './extractive/points.ts';
import { requirementPoints } from './extractive/statements.ts';
import { bullet, clipMiddle, safeSlice } from './extractive/text.ts';
import { filterForSummary } from './filter.ts';
import { materialOf } from './material.ts';

type PacketOrder = {
  /** The context before the compaction. */
  view: View;
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
  const { view, attribution, template, config, count } = order;
  const items = filterForSummary(
    materialOf(view)
      .filter(({ entry }) => entry.origin !== 'initial' && entry.origin !== 'instructions')
      .map(({ item }) => item),
  );
  const lastText = lastAssistantText(items);
  const tail = endOf(lastText, config.packet_max_tail_chars);
  const notes = notesOf(gatherFacts(items, undefined));
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

function notesOf(facts: Facts): Record<Part, Point[]> {
  const points = collectPoints(facts);
  const of = (topic: Topic) => points.get(topic) ?? [];
  // The last words stand in the packet as they are.
  const before = collectPoints({ ...facts, assistant: facts.assistant.slice(0, -1) });
  return {
    goal: of('request'),
    state: [
      ...(before.get('current') ?? []),
      ...of('todos'),
      ...of('errors').slice(0, MOST_ERRORS),
    ],
    decisions: [...requirementPoints(facts.user), ...of('decisions')],
    next: of('next'),
  };
}

/** Points as a list, in their order, as many as fit into so many tokens. */
function linesWithin(points: readonly Point[], tokens: number, count: TextCounter): string {
  const lines: string[] = [];
  let left = tokens;
  for (const { text } of points) {
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
