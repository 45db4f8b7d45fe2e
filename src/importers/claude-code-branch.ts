import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { branchOf, inOrderOfChain } from './tree.ts';

export type Branch = {
  /** Messages and attachments of the history of the newest leaf. */
  kept: ReadonlySet<JsonObject>;
  /** Lines of other agents. Empty in a file that holds nothing else: that agent's own session. */
  sidechain: ReadonlySet<JsonObject>;
  /** Lines whose uuid an earlier line of the file has, as a resumed session copies them. */
  repeated: ReadonlySet<JsonObject>;
  /** All lines of the file, each after the one that it follows and each result after its call. */
  lines: readonly JsonObject[];
  /** Results that stand before their call in the file. */
  earlyResults: number;
};

/**
 * Which lines belong to the newest leaf. Following the parents alone is not enough: parallel tool
 * calls are written as one line each, so the graph branches at every one of them although nothing
 * was abandoned. Kept are therefore also the other lines of a message on the branch, the results of
 * its calls, and what a called tool adds to the conversation.
 */
export function selectBranch(file: readonly JsonObject[]): Branch {
  const hasMainChain = file.some((line) => isMessage(line) && line.isSidechain !== true);
  const sidechain = new Set(hasMainChain ? file.filter((line) => line.isSidechain === true) : []);
  const byUuid = new Map<string, JsonObject>();
  const repeated = new Set<JsonObject>();
  const main: JsonObject[] = [];
  for (const line of file) {
    const uuid = stringField(line, 'uuid');
    if (uuid === undefined || sidechain.has(line)) continue;
    if (byUuid.has(uuid)) {
      repeated.add(line);
      continue;
    }
    byUuid.set(uuid, line);
    main.push(line);
  }

  const parents = parentsOf(main, byUuid);
  const { ordered, earlyResults } = inOrder(main, (line) => {
    const parent = parents.get(stringField(line, 'uuid') ?? '');
    return parent === undefined ? undefined : byUuid.get(parent);
  });
  const inChain = ordered.values();
  const places = new Set(main);
  const lines = file.map((line) => (places.has(line) ? (inChain.next().value ?? line) : line));
  const kept = new Set<JsonObject>();
  const branch = { kept, sidechain, repeated, lines, earlyResults };
  const leaf = ordered.findLast((line) => isMessage(line));
  const leafId = leaf && stringField(leaf, 'uuid');
  if (leafId === undefined) return branch;

  const chain = branchOf(leafId, parents);
  const isOnChain = (line: JsonObject): boolean => chain.has(stringField(line, 'uuid') ?? '');
  const messages = ordered.filter(isMessage);
  const onChain = messages.filter(isOnChain);
  for (const line of onChain) kept.add(line);
  keepSplitMessages(messages, kept);
  keepToolLines(messages, kept);
  for (const line of main) {
    if (line.type !== 'attachment') continue;
    const anchor = nearestMessage(line, byUuid);
    if (isOnChain(line) || (anchor && kept.has(anchor))) kept.add(line);
  }
  return branch;
}

/** The lines after their parents, and results after their calls, whatever came to the file first. */
function inOrder(
  main: readonly JsonObject[],
  parentOf: (line: JsonObject) => JsonObject | undefined,
) {
  const callLines = new Map<string, JsonObject>();
  const seen = new Set<string>();
  let earlyResults = 0;
  const early = new Map<string, number>();
  for (const line of main) {
    for (const id of answeredCalls(line)) {
      if (!seen.has(id)) early.set(id, (early.get(id) ?? 0) + 1);
    }
    for (const id of blockIds(line, 'tool_use', 'id')) {
      if (!callLines.has(id)) callLines.set(id, line);
      if (!seen.has(id)) earlyResults += early.get(id) ?? 0;
      seen.add(id);
    }
  }
  const ordered = inOrderOfChain(main, (line) =>
    [parentOf(line), ...answeredCalls(line).map((id) => callLines.get(id))].filter(
      (before) => before !== undefined,
    ),
  );
  return { ordered, earlyResults };
}

function isMessage(line: JsonObject): boolean {
  return (line.type === 'user' || line.type === 'assistant') && isJsonObject(line.message);
}

/**
 * A boundary has no parent and names its predecessor apart. Predecessors that the file does not
 * hold (progress lines that were cut out, mostly) are replaced by the message before the line.
 */
function parentsOf(
  main: JsonObject[],
  byUuid: ReadonlyMap<string, JsonObject>,
): Map<string, string | undefined> {
  const parents = new Map<string, string | undefined>();
  let before: string | undefined;
  for (const line of main) {
    const id = stringField(line, 'uuid');
    if (id === undefined) continue;
    const named = stringField(line, 'parentUuid') ?? stringField(line, 'logicalParentUuid');
    const follows = named !== undefined || line.subtype === 'compact_boundary';
    const parent = named !== undefined && byUuid.has(named) ? named : follows ? before : undefined;
    parents.set(id, parent);
    if (isMessage(line)) before = id;
  }
  return parents;
}

function keepSplitMessages(messages: JsonObject[], kept: Set<JsonObject>): void {
  const ids = new Set<string>();
  for (const line of kept) {
    const id = messageId(line);
    if (id !== undefined) ids.add(id);
  }
  for (const line of messages) {
    const id = messageId(line);
    if (id !== undefined && ids.has(id)) kept.add(line);
  }
}

function keepToolLines(messages: JsonObject[], kept: Set<JsonObject>): void {
  const calls = new Set([...kept].flatMap((line) => blockIds(line, 'tool_use', 'id')));
  const answered = new Set([...kept].flatMap(answeredCalls));
  for (const line of messages) {
    if (line.type !== 'user' || kept.has(line)) continue;
    const results = answeredCalls(line);
    const cause = stringField(line, 'sourceToolUseID');
    // A call that was answered once is not answered again: the second answer was abandoned.
    const answers = results.some((id) => calls.has(id) && !answered.has(id));
    const isAddedByTool =
      results.length === 0 && line.isMeta === true && cause !== undefined && calls.has(cause);
    if (!answers && !isAddedByTool) continue;
    kept.add(line);
    for (const id of results) answered.add(id);
  }
}

function nearestMessage(
  line: JsonObject,
  byUuid: ReadonlyMap<string, JsonObject>,
): JsonObject | undefined {
  const seen = new Set<JsonObject>();
  let current: JsonObject | undefined = line;
  while (current && !isMessage(current) && !seen.has(current)) {
    seen.add(current);
    current = byUuid.get(stringField(current, 'parentUuid') ?? '');
  }
  return current;
}

function messageId(line: JsonObject): string | undefined {
  if (line.type !== 'assistant' || !isJsonObject(line.message)) return undefined;
  return stringField(line.message, 'id');
}

/** The ids of the calls whose results a line holds. */
export function answeredCalls(line: JsonObject): string[] {
  return blockIds(line, 'tool_result', 'tool_use_id');
}

/** The ids in the blocks of one type in the message of a line. */
export function blockIds(line: JsonObject, type: string, key: string): string[] {
  const content = isJsonObject(line.message) ? line.message.content : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const id = isJsonObject(block) && block.type === type ? stringField(block, key) : undefined;
    return id === undefined ? [] : [id];
  });
}
