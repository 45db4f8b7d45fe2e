import type { Item } from '../items/item.ts';
import { toldText } from '../items/told-text.ts';
import { isJsonObject, type Json, type JsonObject, objectsIn } from '../json.ts';

/** Blocks that must not bear a mark. */
const NEVER_MARKED: ReadonlySet<Json | undefined> = new Set(['thinking', 'redacted_thinking']);

type Place = { item: number; block: number };

/**
 * The items of a context with the `cache_control` marks of the history that it takes the place of: on
 * what is still there, else on the last block before it that is (SPEC 2, section 23). One inside a block
 * stands on that block. Marks that the items bear themselves are of an earlier request.
 */
export function withMarksOf(history: readonly Item[], context: readonly Item[]): Item[] {
  const items = context.map(withoutMarks);
  const places = new Map<string, Place>();
  for (const [item, { content }] of items.entries()) {
    for (const [block, each] of blocksOf(content).entries()) {
      if (!NEVER_MARKED.has(each.type)) places.set(keyOf(each), { item, block });
    }
  }
  const marks = new Map<string, { place: Place; mark: Json }>();
  let last: Place | null = null;
  for (const { content } of history) {
    for (const block of blocksOf(content)) {
      last = places.get(keyOf(block)) ?? last;
      const mark = markOf(block);
      if (mark !== null && last !== null) {
        marks.set(`${last.item} ${last.block}`, { place: last, mark });
      }
    }
  }
  for (const { place, mark } of marks.values()) {
    const item = items[place.item];
    if (item === undefined) continue;
    const content = blocksOf(item.content).map((block, index) =>
      index === place.block ? { ...block, cache_control: mark } : block,
    );
    items[place.item] = { ...item, content };
  }
  return withMarksBeside(history, items);
}

/** The same for marks on a message of Chat Completions itself and on its calls, as Kilo Code sets them. */
function withMarksBeside(history: readonly Item[], items: Item[]): Item[] {
  if (history.every((item) => markBeside(item) === null)) return items;
  const marked = [...items];
  const places = new Map(items.map((item, at) => [toldText(item), at]));
  let last: number | null = null;
  for (const item of history) {
    const own = places.get(toldText(item));
    last = own ?? last;
    const there = last === null ? undefined : marked[last];
    const mark = markBeside(item);
    if (mark === null || last === null || there === undefined) continue;
    const { cache_control = own === undefined ? mark : undefined, tool_calls } = item;
    marked[last] = {
      ...there,
      ...(cache_control !== undefined && { cache_control }),
      ...(own !== undefined && tool_calls !== undefined && { tool_calls }),
    };
  }
  return marked;
}

function markBeside({ cache_control, tool_calls }: Item): JsonObject | null {
  if (isJsonObject(cache_control)) return cache_control;
  const marks = objectsIn(tool_calls).map((call) => call.cache_control);
  return marks.filter(isJsonObject).at(-1) ?? null;
}

function withoutMarks(item: Item): Item {
  const content = unmarkedAll(item.content);
  return content === undefined || content === item.content ? item : { ...item, content };
}

/** What bears no mark stays the same object. */
function unmarkedAll(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const blocks = content.map((block) => (isJsonObject(block) ? unmarked(block) : block));
  return blocks.some((block, index) => block !== content[index]) ? blocks : content;
}

function unmarked(block: JsonObject): JsonObject {
  if (markOf(block) === null && block.cache_control === undefined) return block;
  const { cache_control: _, ...rest } = block;
  const { content, source } = rest;
  const inside = unmarkedAll(content);
  return {
    ...rest,
    ...(inside !== undefined && { content: inside }),
    ...(isJsonObject(source) && { source: unmarked(source) }),
  };
}

/**
 * The mark that a block bears, else the last one inside it: blocks of a tool's result or of a document
 * may bear some of their own, which count like any other towards the few that a provider takes. What a
 * call is given is data, whatever its fields are called.
 */
function markOf(block: JsonObject): JsonObject | null {
  const { cache_control, content, source } = block;
  if (isJsonObject(cache_control)) return cache_control;
  const inside = isJsonObject(source) ? [...objectsIn(content), source] : objectsIn(content);
  return inside.map(markOf).findLast((mark) => mark !== null) ?? null;
}

/** A string is a list of one text. */
function blocksOf(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return objectsIn(content);
}

function keyOf(block: JsonObject): string {
  return toldText({ content: [block] });
}
