/** So many bytes cost no more than the connection that brings them. */
export const SMALL = 131_072;
/** A body of which this share has come is taken to come as it was announced. */
export const ENOUGH = 1 / 8;

type Held = { tenant: string; bytes: number };

/**
 * The room that bodies of requests under way have in this process, in bytes: many large ones at once would
 * end it. `share`: what one tenant may take at most, so that others go on.
 */
export class BodyRoom {
  readonly #most: number;
  readonly #share: number;
  readonly #held = new WeakMap<Request, Held>();
  readonly #byTenant = new Map<string, number>();
  #taken = 0;

  constructor(most: number, share: number) {
    this.#most = most;
    this.#share = share;
  }

  /** Notes whose request it is; one of nobody known takes no room. */
  admit(request: Request, tenant: string): void {
    this.#held.set(request, { tenant, bytes: 0 });
  }

  /** Whether there is room for what has come of a body; `announced`: its length by its header. */
  holds(request: Request, come: number, announced: number): boolean {
    const held = this.#held.get(request);
    if (held === undefined || come <= SMALL) return true;
    const bytes = come >= announced * ENOUGH ? Math.max(come, announced) : come;
    const more = bytes - held.bytes;
    if (more <= 0) return true;
    const own = this.#byTenant.get(held.tenant) ?? 0;
    if (own + more > this.#share || this.#taken + more > this.#most) return false;
    this.#add(held, more);
    return true;
  }

  /** Of a body that was unpacked no more is kept than what came of it, in bytes. */
  keepsOnly(request: Request, come: number): void {
    const held = this.#held.get(request);
    if (held !== undefined && held.bytes > come) this.#add(held, come - held.bytes);
  }

  /** To be called when the answer to a request begins, or its body is not kept; it takes no room after that. */
  leave(request: Request): void {
    const held = this.#held.get(request);
    this.#held.delete(request);
    if (held !== undefined && held.bytes > 0) this.#add(held, -held.bytes);
  }

  #add(held: Held, bytes: number): void {
    held.bytes += bytes;
    this.#taken += bytes;
    const own = (this.#byTenant.get(held.tenant) ?? 0) + bytes;
    if (own === 0) this.#byTenant.delete(held.tenant);
    else this.#byTenant.set(held.tenant, own);
  }
}
