/** How a program is started so that its calls of a model go through the service. */
export type Launch = {
  /** What stands before the arguments of the user. */
  args: string[];
  /** Set beside the environment of the user. */
  environment: { [name: string]: string };
  /** What the user should know: values of theirs that were kept. */
  warnings: string[];
};

/** Where the program would have gone by itself: the upstreams of the service, by the name of theirs. */
export type Upstreams = { [variable: string]: string };

export type Environment = { [name: string]: string | undefined };

/** The service as a program sees it: an address without a slash at its end, and our key, if it has any. */
export type Address = { url: string; key: string | null };

/** Throws where a program cannot be led through the service. */
export class WrapError extends Error {
  override readonly name = 'WrapError';
}
