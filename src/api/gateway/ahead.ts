import type { UpstreamAnswer } from './send.ts';

/** Null when the upstream cannot be reached. */
type Answer = Promise<UpstreamAnswer | null>;

/** A request that may be on its way upstream before it is known what is to be sent. */
export class Ahead {
  readonly #stop = new AbortController();
  #answer: Answer | null = null;
  #isOver = false;

  /** `goes`: whether it goes; must not reject. */
  constructor(goes: Promise<boolean>, send: (signal: AbortSignal) => Answer) {
    void goes.then((isSent) => {
      if (isSent && !this.#isOver) this.#answer = send(this.#stop.signal);
    });
  }

  /** Its answer; null where it has not gone, and then it does not go any more. */
  taken(): Answer | null {
    this.#isOver = true;
    return this.#answer;
  }

  /** Another one goes in its place. */
  dropped(): void {
    this.#isOver = true;
    this.#stop.abort();
    void this.#answer?.then((answer) => answer?.body.destroy());
    this.#answer = null;
  }
}
