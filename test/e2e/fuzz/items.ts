import fc from 'fast-check';
import { FORMATS, type Format } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Json, JsonObject } from '../../../src/domain/json.ts';
import { historyArbitrary } from '../../support/generators.ts';
import { randomJson } from '../../support/openapi-fuzzer/hostile.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { Speaker, textOf } from '../conversation.ts';

const HISTORIES = 40;

/** Lists of items to post: conversations, damaged conversations, and plain nonsense. */
export class ItemSource {
  readonly #histories: ReadonlyMap<Format, Item[][]>;

  constructor(seed: number) {
    this.#histories = new Map(
      FORMATS.map((format) => [
        format,
        fc.sample(historyArbitrary(format), { seed, numRuns: HISTORIES }),
      ]),
    );
  }

  some(format: Format, random: SeededRandom): Item[] {
    const speaker = new Speaker(format);
    const label = `l${random.int(0, 999)}`;
    const text = textOf(label, random.pick([5, 50, 400, 1_500]));
    const id = `call_${random.int(0, 12)}`;
    switch (random.int(0, 9)) {
      case 0:
      case 1:
        return [speaker.user(text), speaker.assistant(`Answer to ${label}.`)];
      case 2:
      case 3:
        return speaker.toolRound(id, random.pick(['Read', 'shell']), { path: `${label}.ts` }, text);
      case 4:
        return random.chance(0.5) ? speaker.call(id, 'Read', {}) : speaker.result(id, text);
      case 5:
        return [speaker.assistantWithUsage(text, random.pick([10, 1_500, 7_900, 1_000_000]))];
      case 6:
      case 7:
        return random.pick(this.#histories.get(format) ?? []);
      case 8:
        return [controlItem(random, text)];
      default:
        return [nonsense(random, id, text)];
    }
  }
}

function controlItem(random: SeededRandom, text: string): Item {
  const attachment = (kind: string, more: JsonObject): Item => ({
    type: 'attachment',
    attachment: { kind, ...more },
  });
  return random.pick<Item>([
    attachment('file', { path: 'src/a.ts', content: text }),
    attachment('file', { filename: 'b.ts', content: { lines: [text] } }),
    attachment('todo', { content: [{ content: text, status: 'pending' }] }),
    attachment('plan', { content: text, path: '.claude/plans/p.md' }),
    attachment('memory', { content: '' }),
    { type: 'progress', whatever: randomJson(random) },
    { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' },
    { type: 'system', subtype: 'note', content: text },
    { type: 'ghost_snapshot', ghost_commit: randomJson(random) },
  ]);
}

/** Looks like an item; perhaps no provider has ever sent one like it. */
function nonsense(random: SeededRandom, id: string, text: string): Item {
  const block: Json = {
    type: random.pick([
      'text',
      'thinking',
      'redacted_thinking',
      'image',
      'tool_use',
      'tool_result',
      'server_tool_use',
      'web_search_tool_result',
      'document',
      'input_text',
      'refusal',
      'never_heard_of',
    ]),
    id,
    tool_use_id: id,
    name: 'Read',
    text: random.chance(0.5) ? '' : text,
    content: randomJson(random),
    source: randomJson(random),
  };
  return {
    type: random.pick([
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
      'local_shell_call',
      'local_shell_call_output',
      'compaction',
      'compaction_trigger',
      'item_reference',
      'never_heard_of',
    ]),
    role: random.pick(['user', 'assistant', 'system', 'developer', 'tool', 'function']),
    id,
    call_id: id,
    tool_call_id: id,
    name: 'shell',
    arguments: random.pick(['', '{', '{"a":1}', 'null']),
    output: random.chance(0.5) ? text : [block],
    content: random.chance(0.3) ? text : [block, block],
    is_meta: random.chance(0.2),
    is_compact_summary: random.chance(0.2),
    ...(random.chance(0.3) && { tool_calls: [{ id, type: 'function', function: { name: 'f' } }] }),
    ...(random.chance(0.2) && { usage: { input_tokens: -5, output_tokens: 1e300 } }),
    ...(random.chance(0.2) && { summary: randomJson(random) }),
  };
}
