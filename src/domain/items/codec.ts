import type { Json } from '../json.ts';
import type { Item, Normalised, Role } from './item.ts';

/** Replacements by the id of the call: of the content of its result, or of its own input. */
export type ResultEdits = ReadonlyMap<string, string>;

/** One problem of a posted item: where it is (path inside the item) and what to change. */
export type ItemProblem = { path: (string | number)[]; message: string };

/** Whether items are all that a request holds, or come behind others. */
export type Extent = 'whole' | 'part';

/**
 * One wire format. All domain logic works on the normalised view; edits are applied to the stored
 * form through the codec, so that unknown fields survive (SPEC section 4).
 */
export interface Codec {
  /** The shape rules of a posted item; empty when it is fine. Never throws, whatever the JSON. */
  check(item: Json): ItemProblem[];
  /** The normalised view of an item that `check` accepted. Never throws. */
  normalise(item: Item): Normalised;
  /** Whether a user would count the item as a message of user, assistant or tool. */
  isMessage(item: Item): boolean;
  /** The item with the content of the named tool results replaced; other fields stay as they are. */
  editResults(item: Item, edits: ResultEdits): Item;
  /** The item with the input of the named tool calls replaced, by its text or the JSON of it. */
  editInputs(item: Item, edits: ResultEdits): Item;
  /** A plain text message in this format. Extra own fields (`is_meta`, …) are added as given. */
  message(role: Role, text: string, fields?: Item): Item;
  /** Normalised messages of another format written in this one, as well as it allows. */
  encode(message: Normalised): Item[];
  /**
   * The items as this provider accepts them: own fields stripped, boundaries, progress, ghost
   * snapshots left out, attachments as labelled user messages, empty content dropped, tool calls and
   * results paired (orphan results dropped, calls without result answered by a note unless still
   * open at the very end), order rules of the provider kept. Items that need no repair come out
   * deep-equal to what was posted, without the own fields. `extent`: of a part, what belongs to a program
   * of the provider stays as it came, since that may stand before it; by default it is the whole.
   */
  render(items: readonly Item[], extent?: Extent): Item[];
  /** The provider's rules that a rendered context breaks, each in one sentence; empty when valid. */
  violations(rendered: readonly Item[]): string[];
}
