import { isJsonObject, type JsonObject, stringField } from '../../json.ts';

/**
 * Which call of a streamed message each piece belongs to. Most servers number them; some leave the number
 * out, others call each of several calls the first: then the ids tell them apart.
 */
export class ChatCallPlaces {
  readonly #ids = new Map<number, string>();
  /** Of each number the call that was begun with it last. */
  readonly #numbered = new Map<number, number>();
  #last: number | null = null;
  /** Behind all that are taken. */
  #next = 0;

  of(piece: JsonObject): number {
    const number = typeof piece.index === 'number' ? piece.index : null;
    const id = stringField(piece, 'id') ?? '';
    const known = number === null ? this.#last : (this.#numbered.get(number) ?? null);
    const place = known === null || this.#isOther(known, piece) ? this.#free(number) : known;
    if (number !== null) this.#numbered.set(number, place);
    if (id !== '' || !this.#ids.has(place)) this.#ids.set(place, id);
    this.#last = place;
    this.#next = Math.max(this.#next, place + 1);
    return place;
  }

  #isOther(known: number, piece: JsonObject): boolean {
    const id = stringField(piece, 'id') ?? '';
    const before = this.#ids.get(known) ?? '';
    if (id !== '') return before !== '' && before !== id;
    // Without a number and an id only a name begins a call.
    return typeof piece.index !== 'number' && isJsonObject(piece.function)
      ? (stringField(piece.function, 'name') ?? '') !== ''
      : false;
  }

  #free(number: number | null): number {
    if (number !== null && !this.#ids.has(number)) return number;
    return this.#next;
  }
}
