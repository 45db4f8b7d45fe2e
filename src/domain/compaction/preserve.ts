import { sumTokens } from '../context/view.ts';
import type { Codec } from '../items/codec.ts';
import { codecFor, type Format } from '../items/codecs.ts';
import type { Item, Message } from '../items/item.ts';
import { messageText } from '../items/message-text.ts';
import { type PlainPart, partsBeside } from '../items/opaque.ts';
import { isAllOfUser, isUserMessage, userText } from '../items/speaker.ts';
import { userWordsByItem } from '../items/user-words.ts';
import { isJsonObject, stringField } from '../json.ts';
import { parseInside } from '../json-text.ts';
import type { Config } from '../policy/config.ts';
import type { Entry } from '../session/entry.ts';
import { clipEnd, oneLine } from '../text.ts';
import type { TextCounter } from '../tokens/count.ts';
import { measureItem } from '../tokens/measure.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { isLoadedSkill } from '../workspace/program-notes.ts';
import type { RestoredFile } from '../workspace/restored-lines.ts';
import { latestRequest } from './kept-newest.ts';
import type { Material } from './material.ts';
import { mostOfOne } from './newest-results.ts';
import type { PlanInput } from './plan-input.ts';

/**
 * The user's own messages that stay verbatim (`preserve_user_messages`, SPEC section 8): newest first
 * up to `user_message_max_tokens`, the one that crosses the budget cut in the middle; in their
 * original order. Of a message in which programs speak as well, the user's words stay; so do those that
 * stand in the result of a tool.
 */
export function preservedUserMessages(
  covered: readonly Material[],
  format: Format,
  config: Config,
  count: TextCounter,
): Entry[] {
  if (!config.preserve_user_messages) return [];
  const codec = codecFor(format);
  const ownWords = (text: string) => {
    const message = codec.message('user', text);
    return { item: message, tokens: measureItem(codec, message, count, config).tokens };
  };
  const preserved: Entry[] = [];
  let budget = config.user_message_max_tokens;
  const inResults = userWordsByItem(covered.map(({ original }) => original));
  for (const { entry, item, original } of covered.toReversed()) {
    if (budget <= 0) break;
    if (item.kind !== 'message') continue;
    const answer = inResults.get(original);
    if (answer === undefined && !isUserMessage(item)) continue;
    const said = userText(item);
    const text = answer === undefined ? said : `${answer}\n${said}`;
    const isWhole =
      answer === undefined &&
      (isAllOfUser(item) || item.parts.some(({ kind }) => kind === 'image'));
    const own = isWhole ? entry : ownWords(text.trim());
    if (own.tokens <= budget) {
      preserved.push({ ...own, seq: null, origin: 'preserved' });
      budget -= own.tokens;
      continue;
    }
    const cut = codec.message('user', truncateMiddle(text, budget, count));
    const { tokens } = measureItem(codec, cut, count, config);
    preserved.push({ seq: null, item: cut, tokens, origin: 'preserved' });
    break;
  }
  return preserved.reverse();
}

/**
 * The preserved messages with the user's latest own message among them, whatever is preserved besides:
 * cut in the middle to a tenth of the window when it is longer. Not where it stands after the cut, nor
 * where it is most of what somebody wants summarised, nor without a session, where the client keeps its
 * messages itself. `restored`: the files that are put back.
 */
export function withLatestRequest(
  preserved: Entry[],
  { material, view, config, count, context_window, is_automatic }: PlanInput,
  cut: number,
  instructions: readonly Entry[],
  restored: ReadonlySet<string>,
): Entry[] {
  const found = latestRequest(material);
  if (context_window === null || found === null || preserved.length > 0) return preserved;
  const { entry, item } = found;
  const isCovered = entry.origin !== 'initial' && !entry.pinned && material.indexOf(found) < cut;
  if (!isCovered || item.kind !== 'message') return preserved;
  const covered = sumTokens(material.slice(0, cut).map((one) => one.entry));
  if (!is_automatic && entry.tokens > covered / 2) return preserved;
  // Where usage says that the rest of the window is no text of ours, it must still give something back.
  const most = Math.min(mostOfOne(context_window, config), Math.max(64, Math.floor(covered / 2)));
  const codec = codecFor(view.format);
  if (entry.tokens <= most) {
    const own = withoutTold(codec, entry.item, instructions, restored);
    const { tokens } = own === entry.item ? entry : measureItem(codec, own, count, config);
    return [{ ...entry, seq: null, item: own, tokens, origin: 'preserved' }];
  }
  const shorter = codec.message('user', shortened(item, most, count));
  const { tokens } = measureItem(codec, shorter, count, config);
  return [{ seq: null, item: shorter, tokens, origin: 'preserved' }];
}

/** What stands below it is not what the user has written. */
const BESIDE = '[Beside these words:]';
const LONGEST_NAME = 100;

/** The user's words within so many tokens, and of what came with them as much as fits behind: a quarter at least. */
function shortened(message: Message, most: number, count: TextCounter): string {
  const given = partsBeside(message);
  const notes = given.flatMap(noteOf);
  const beside = [...(given.some(isText) ? [BESIDE] : []), ...notes].join('\n');
  if (beside === '') return truncateMiddle(userText(message), most, count);
  const least = Math.min(count(beside), Math.floor(most / 4));
  const words = truncateMiddle(userText(message), most - least, count);
  return `${words}\n${truncateMiddle(beside, most - count(words), count)}`.trim();
}

function isText({ kind }: PlainPart): boolean {
  return kind === 'text';
}

/** The text of what the user has put beside the words, and the name of what is no text. */
function noteOf(part: PlainPart): string[] {
  switch (part.kind) {
    case 'text':
      return [part.text];
    case 'file':
      return [`[Left out here: file ${clipEnd(oneLine(part.name), LONGEST_NAME)}]`];
    case 'image':
      return ['[Left out here: image]'];
    case 'audio':
      return ['[Left out here: audio]'];
    default:
      return [];
  }
}

/** The files to put back without the commands and skills that stand whole in a request that calls them. */
export function withoutCalled(
  files: readonly RestoredFile[],
  preserved: readonly Entry[],
  codec: Codec,
): RestoredFile[] {
  const told = preserved.flatMap(({ item }) => {
    const message = codec.normalise(item);
    return message.kind === 'message' ? messageText(message) : [];
  });
  return files.filter(
    ({ path, content }) =>
      !isLoadedSkill(path) || !told.some((text) => text.includes(content.trim())),
  );
}

/** What Claude Code has read for the user, and the file in it. */
const READ_FOR_USER =
  /^\s{0,9}<system-reminder>\s{0,9}(?:(Called) the \w{1,60} tool |Result of calling )/;
const FILE_READ = /"file_path":("(?:[^"\\]|\\.){1,1000}")/;

/**
 * A message without the files beside it that are put back as they are now, and without the blocks that
 * stand in front of it among the instructions.
 */
function withoutTold(
  codec: Codec,
  item: Item,
  instructions: readonly Entry[],
  restored: ReadonlySet<string>,
): Item {
  const { content } = item;
  if (!Array.isArray(content)) return item;
  const told = new Set(
    instructions.flatMap((entry) => {
      const message = codec.normalise(entry.item);
      return message.kind === 'message' ? messageText(message) : [];
    }),
  );
  // What is not put back stays; a result stands behind the call that names its file, or in another message.
  let isPutBack = true;
  const own = content.filter((block) => {
    const text = isJsonObject(block) ? (stringField(block, 'text') ?? '') : '';
    const read = READ_FOR_USER.exec(text);
    if (read === null) return !told.has(text.trim());
    if (read[1] !== undefined) {
      const path = FILE_READ.exec(text.slice(0, 2_000))?.[1];
      isPutBack = path !== undefined && restored.has(String(parseInside(path)));
    }
    return !isPutBack;
  });
  return own.length === 0 || own.length === content.length ? item : { ...item, content: own };
}
