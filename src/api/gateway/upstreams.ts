import type { Protocol } from '../../domain/gateway/protocol.ts';

/** Addresses that the operator has set, by their names; `anthropic` and `openai` are always there. */
export type Upstreams = Readonly<Record<string, string>>;

/** What asks below `/v1`, with the upstream that its path names; null: none of that name. */
export type Target = { name: string; url: string };

/**
 * Where a request goes (SPEC 2, section 23). `rest`: what follows our `/v1`, query included; `named`: the
 * upstream of the path. Null for a name that the operator has not set.
 */
export function targetOf(
  upstreams: Upstreams,
  { named, rest, headers }: { named: string | null; rest: string; headers: Headers },
): Target | null {
  const name = named ?? (isAnthropic(rest, headers) ? 'anthropic' : 'openai');
  const base = Object.hasOwn(upstreams, name) ? upstreams[name] : undefined;
  if (base === undefined) return null;
  return { name, url: rootOf(base, rest) + rest };
}

/** The path tells it, else the header that Anthropic's clients send. */
function isAnthropic(rest: string, headers: Headers): boolean {
  if (isMessages(rest)) return true;
  if (/^\/(?:responses|chat|completions|embeddings)(?:[/?]|$)/.test(rest)) return false;
  return headers.has('anthropic-version');
}

function isMessages(rest: string): boolean {
  return /^\/messages(?:[/?]|$)/.test(rest);
}

/**
 * The base of an address as SDKs take it: Anthropic's write `/v1` themselves, OpenAI's take what they are
 * given, which is nothing but a host only where somebody has left it out.
 */
function rootOf(base: string, rest: string): string {
  const bare = base.replace(/\/+$/, '');
  if (/\/v1$/.test(bare)) return bare;
  return isMessages(rest) || new URL(bare).pathname === '/' ? `${bare}/v1` : bare;
}

/** What the path of a protocol is called in errors; those of Anthropic have another shape. */
export function speaksAnthropic(
  protocol: Protocol | null,
  rest: string,
  headers: Headers,
): boolean {
  return protocol === 'messages' || (protocol === null && isAnthropic(rest, headers));
}
