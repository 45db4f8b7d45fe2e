/** What may be told of work: ids, names that the service gives, numbers. Never what somebody said, or a key. */
export type Facts = { readonly [name: string]: string | number | boolean };

type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type SpanOptions = {
  kind?: SpanKind;
  /** What it belongs to, as a `traceparent`; default: what is under way. */
  parent?: string | undefined;
  facts?: Facts;
};

export type Span = {
  add: (facts: Facts) => void;
  rename: (name: string) => void;
  fail: () => void;
};

/** Tells which work was a part of which other, and how long each took (SPEC 2, section 27). */
export type Tracer = {
  /** Runs something as a span; it has failed when it throws, or says so. */
  span: <T>(name: string, options: SpanOptions, run: (span: Span) => Promise<T>) => Promise<T>;
  /** Runs something as a part of what a `traceparent` names. */
  within: <T>(parent: string | undefined, run: () => T) => T;
  /** What is under way, as a `traceparent`, for whoever goes on with it elsewhere. */
  current: () => string | undefined;
};

const NO_SPAN: Span = { add: () => {}, rename: () => {}, fail: () => {} };

/** Traces nothing. */
export const UNTRACED: Tracer = {
  span: (_name, _options, run) => run(NO_SPAN),
  within: (_parent, run) => run(),
  current: () => undefined,
};
