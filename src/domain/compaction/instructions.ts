import { canonicalJson } from '../canonical-json.ts';
import { sumTokens } from '../context/view.ts';
import { addTo } from '../group-by.ts';
import type { Item, Message, Normalised } from '../items/item.ts';
import { messageText } from '../items/message-text.ts';
import { isSetting } from '../items/openai-responses/settings.ts';
import { instructionBlocks, isOfOperator } from '../items/operator.ts';
import { notePartsOf, withoutNotes } from '../items/passing-notes.ts';
import { isAgentTask, isReminder, isStandingContext } from '../items/speaker.ts';
import { behindFiles } from '../items/system-notes.ts';
import { isJsonObject } from '../json.ts';
import type { Entry } from '../session/entry.ts';
import { goalsDone } from './goals.ts';
import type { Material } from './material.ts';
import { newestNotes } from './newest-notes.ts';

/** As much as Codex reads of a project's instructions (32 KiB); longer ones are summarised. */
const MOST_PROJECT_TOKENS = 8_192;
/** Later instructions may fill so much, and no more than this share of the threshold. */
const MOST_LATER_TOKENS = 8_192;
const MOST_LATER_SHARE = 1 / 4;
/** And those between the first request and its answer, where clients also put what a search has found. */
const MOST_EARLY_SHARE = 1 / 2;

/**
 * What the agent was told to do stays verbatim instead of being summarised away, in its order. All of
 * what opens the conversation: system and developer messages, and those of the project among them in
 * messages of the role `user`. Of those behind the first request the newest up to half the threshold, of
 * those that came later up to a quarter (all in tokens); the others are summarised. Reminders that are a
 * message by themselves are such instructions where they tell what holds from there on (`HOLDS`). What
 * gives the model tools, takes them away, or sets how it answers, stays as well, and so does the objective
 * of a goal until that is complete. Of blocks that clients write anew, such as the environment, the newest
 * stands for the older ones, also when it stands after the cut; one that opens the conversation gives it its
 * room. So do notes on instructions beside what others say, and parts of a message that are told anew
 * (`notePartsOf`); what a hook has added to the latest request of the user stays. `noteEntry` makes a message
 * of a text: of its own, or one like another. `initial` is the number of entries of the initial context, which
 * stay anyway.
 */
export function standingInstructions(
  material: readonly Material[],
  initial: number,
  cut: number,
  threshold: number,
  noteEntry: (text: string, like?: Item) => Entry,
): Entry[] {
  const covered = material.slice(initial, cut).filter(({ entry }) => !entry.pinned);
  const start = endOfOpening(covered);
  const renewed = new Set(
    material.slice(cut).flatMap(({ item }) => (instructs(item) ? kindsOf(item) : [])),
  );
  const gone = new Set([
    ...undoneAmong(covered.map(({ item }) => item)),
    ...overtakenAmong(material.map(({ item }) => item)),
  ]);
  const done = goalsDone(material.map(({ item }) => item));
  const firstAnswer = beforeAnswer(covered);
  const after = material.slice(cut).map(({ item }) => item);
  const { texts, overtaken } = newestNotes(
    covered.map(({ item }) => item),
    start,
    after,
  );
  const kept: Entry[] = [];
  let left = Math.min(MOST_LATER_TOKENS, Math.floor(threshold * MOST_LATER_SHARE));
  let leftEarly = Math.floor(threshold * MOST_EARLY_SHARE);
  const freed = roomByKind(covered.slice(0, start));
  const newer = new Set(after.flatMap(passingKinds));
  for (const [place, { entry, item }] of [...covered.entries()].slice(start).toReversed()) {
    const sets = toolChanges(item).length > 0 || settingsOf(item).length > 0;
    if (sets && !gone.has(item)) {
      kept.push(standing(entry));
      continue;
    }
    const own = item.kind === 'message' ? whatHolds(item, newer, renewed) : [];
    const text = own.join('\n');
    for (const note of remindersIn(item)) {
      const passing = kindsOfNotes(note).filter((kind) => !newer.has(kind));
      const isDate = !instructs(item) && notePartsOf(note).length === 1 && passing.includes('date');
      if (isDate) kept.push(noteEntry(note));
      // Of all else that goes with its message the older note stays.
      if (isDate || texts.includes(note)) for (const kind of passing) newer.add(kind);
    }
    if (item.kind !== 'message' || text === '') continue;
    const kinds = kindsOf(item).filter((kind) => !renewed.has(kind));
    if (done.has(item)) {
      for (const kind of kinds) renewed.add(kind);
      continue;
    }
    const one = text === messageText(item) ? standing(entry) : noteEntry(text, entry.item);
    // A task stands where the request of a user would.
    const isEarly = place < firstAnswer || isAgentTask(item);
    const room = kinds.reduce((sum, kind) => sum + (freed.get(kind) ?? 0), 0);
    const taken = Math.max(0, one.tokens - room);
    // The older one stays where there is no room for it.
    if (taken > (isEarly ? leftEarly : left)) continue;
    for (const kind of kinds) renewed.add(kind);
    for (const passing of own.flatMap(kindsOfNotes)) newer.add(passing);
    if (isEarly) leftEarly -= taken;
    else left -= taken;
    kept.push(one);
  }
  left += sumTokens(covered.flatMap(({ entry, item }) => (overtaken.has(item) ? [entry] : [])));
  const notes: Entry[] = [];
  for (const note of texts.map((text) => noteEntry(text)).reverse()) {
    if (note.tokens > left) continue;
    left -= note.tokens;
    notes.unshift(note);
  }
  const opening = covered
    .slice(0, start)
    .toReversed()
    .flatMap(({ entry, item }) => {
      if (item.kind !== 'message' || overtaken.has(item) || isOfMoment(item)) return [];
      const told = messageText(item);
      if (!instructs(item)) return gone.has(item) ? [] : [standing(entry)];
      const own = whatHolds(item, newer, renewed);
      for (const passing of own.flatMap(kindsOfNotes)) newer.add(passing);
      const text = own.join('\n');
      if (text === told) return [standing(entry)];
      return text === '' ? [] : [noteEntry(text, entry.item)];
    });
  return [...opening.reverse(), ...notes, ...kept.reverse()];
}

/** What holds until its program says otherwise: the mode, the date, which tools and instructions there are. */
const HOLDS =
  /^\s*<system-reminder>\s{0,8}(?:Today's date is |The date has changed|(?:## )?(?:\w{1,20} ){1,3}mode\b|<tools_(?:added|removed)>|The AGENTS\.md instruction file)/i;

/**
 * Kimi Code says such in reminders of the role `user`, what others say in system messages, and Codex in
 * outputs of no call.
 */
function instructs(item: Normalised): item is Message {
  if (item.kind === 'message' && item.told_as !== undefined) return true;
  return isOfOperator(item) || (isReminder(item) && HOLDS.test(messageText(item)));
}

/** The texts of a message that stay, where later ones say these notes and blocks anew. */
function whatHolds(
  message: Message,
  newer: ReadonlySet<string>,
  renewed: ReadonlySet<string>,
): string[] {
  const isKept: boolean = instructs(message);
  if (isKept) {
    const blocks = instructionBlocks(message).filter(({ kind }) => !renewed.has(kind));
    const text = behindFiles(blocks.map((block) => block.text).join('\n'));
    const texts = text === messageText(message) ? textsOf(message) : [text];
    const own = texts.map((one) => withoutNotes(one, (kind) => newer.has(kind)));
    return own.every((one, at) => one === texts[at]) ? texts : own.filter((one) => one !== '');
  }
  if (message.role !== 'system' || newer.has('hook')) return [];
  return textsOf(message)
    .flatMap(notePartsOf)
    .flatMap((part) => (part.kind === 'hook' ? [part.text] : []));
}

function textsOf({ parts }: Message): string[] {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
}

function kindsOf(message: Message): string[] {
  return instructionBlocks(message).map(({ kind }) => kind);
}

/** How older models are told in a message of the user what others are in messages of the role `system`. */
const AS_REMINDER = /^<system-reminder>\s{0,4}([\s\S]*?)\s{0,4}<\/system-reminder>\s{0,4}$/;

/** The kinds of notes in a message that hold until they are said anew. */
function passingKinds(item: Normalised): string[] {
  if (item.kind === 'message' && item.role === 'system') {
    return textsOf(item).flatMap(kindsOfNotes);
  }
  return remindersIn(item).flatMap(kindsOfNotes);
}

/** The parts of a message of the user that are nothing but reminders. */
function remindersIn(item: Normalised): string[] {
  if (item.kind !== 'message' || item.role !== 'user') return [];
  return textsOf(item).filter((text) => AS_REMINDER.test(text));
}

function kindsOfNotes(text: string): string[] {
  return notePartsOf(AS_REMINDER.exec(text)?.[1] ?? text).flatMap(({ kind }) => kind ?? []);
}

/** What Claude Code says in a reminder in front of all else, and only of the moment: what it has read, its mode. */
function isOfMoment(item: Normalised): boolean {
  return isReminder(item) && !isStandingContext(item);
}

/** How many of the entries open the conversation: the first other message ends it. */
function endOfOpening(covered: readonly Material[]): number {
  const end = covered.findIndex(
    ({ entry, item }) =>
      entry.origin !== 'boundary' &&
      item.kind === 'message' &&
      item.role !== 'system' &&
      !isOfMoment(item) &&
      !(isStandingContext(item) && entry.tokens <= MOST_PROJECT_TOKENS),
  );
  return end === -1 ? covered.length : end;
}

/** How many come before the first answer: what the operator says there, Claude Code behind the request. */
function beforeAnswer(covered: readonly Material[]): number {
  const end = covered.findIndex(({ item }) => item.kind === 'message' && item.role === 'assistant');
  return end === -1 ? covered.length : end;
}

/** How many tokens the instructions of each kind fill. */
function roomByKind(opening: readonly Material[]): ReadonlyMap<string, number> {
  const room = new Map<string, number>();
  for (const { entry, item } of opening) {
    if (!instructs(item)) continue;
    const kinds = kindsOf(item);
    for (const kind of kinds) room.set(kind, (room.get(kind) ?? 0) + entry.tokens / kinds.length);
  }
  return room;
}

/** What an item of the Responses API sets, until another sets the same: fields, or just these tools. */
function settingsOf(item: Normalised): string[] {
  if (item.kind !== 'message' || item.role !== 'system') return [];
  return item.parts.flatMap((part) => {
    if (part.kind !== 'opaque' || !isJsonObject(part.json) || !isSetting(part.json)) return [];
    const { id: _, type, tools, ...fields } = part.json;
    return tools === undefined ? Object.keys(fields) : [canonicalJson([type ?? null, tools])];
  });
}

/** The items of which all that they set was set again since. */
function overtakenAmong(items: readonly Normalised[]): Normalised[] {
  const later = new Set<string>();
  return items.toReversed().filter((item) => {
    const own = settingsOf(item);
    const isOvertaken = own.length > 0 && own.every((setting) => later.has(setting));
    for (const setting of own) later.add(setting);
    return isOvertaken;
  });
}

type ToolChange = { tool: string; isGiven: boolean };

/**
 * The tools that a message of Anthropic's gives to the model or takes away, by their names: no later
 * request says so again.
 */
function toolChanges(item: Normalised): ToolChange[] {
  if (item.kind !== 'message' || item.role !== 'system') return [];
  return item.parts.flatMap((part) => {
    if (part.kind !== 'opaque' || !isJsonObject(part.json)) return [];
    const { type, tool } = part.json;
    if ((type !== 'tool_addition' && type !== 'tool_removal') || !isJsonObject(tool)) return [];
    const isGiven = type === 'tool_addition';
    const defined = [tool.definition ?? tool].flat().filter(isJsonObject);
    return defined.map(({ server_name, name }) => {
      return { tool: JSON.stringify([server_name, name]), isGiven };
    });
  });
}

/**
 * The messages that are left out together, since all tools that they give are taken away by the last of
 * them. Of a tool that was taken and given again nobody knows whether it is the same.
 */
function undoneAmong(items: readonly Normalised[]): ReadonlySet<Normalised> {
  const changes = new Map<string, { item: Normalised; isGiven: boolean }[]>();
  const undone = new Set<Normalised>();
  for (const item of items) {
    for (const { tool, isGiven } of toolChanges(item)) {
      addTo(changes, tool, { item, isGiven });
      undone.add(item);
    }
  }
  const lasting = [...changes]
    .filter(([, own]) => own.at(0)?.isGiven !== true || own.at(-1)?.isGiven !== false)
    .map(([tool]) => tool);
  const known = new Set(lasting);
  // What stays stays with all that is said about its other tools.
  for (let tool = lasting.pop(); tool !== undefined; tool = lasting.pop()) {
    for (const { item } of changes.get(tool) ?? []) {
      if (!undone.delete(item)) continue;
      for (const { tool: other } of toolChanges(item)) {
        if (known.has(other)) continue;
        known.add(other);
        lasting.push(other);
      }
    }
  }
  return undone;
}

function standing(entry: Entry): Entry {
  return { ...entry, seq: null, origin: 'instructions' };
}
