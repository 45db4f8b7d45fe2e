import zlib from 'node:zlib';

/** What belongs to one connection, and is not passed on (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Written anew for the upstream. */
const OF_REQUEST = new Set([...HOP_BY_HOP, 'host', 'content-length', 'expect']);
const OF_ANSWER = new Set(HOP_BY_HOP);

/** Whether this Node can read answers and requests in zstd. */
export const HAS_ZSTD = 'zstdDecompress' in zlib;

/**
 * The headers of a request as they go upstream. `dropped`: those that hold a credential of ours;
 * `isNewBody`: the body is not what they describe.
 */
export function upstreamHeaders(
  headers: Headers,
  { dropped, isNewBody }: { dropped: ReadonlySet<string>; isNewBody: boolean },
): Record<string, string> {
  const named = connectionNames(headers);
  const kept: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (OF_REQUEST.has(name) || named.has(name) || dropped.has(name)) continue;
    if (name.startsWith('x-palimpsest-')) continue;
    if (isNewBody && name === 'content-encoding') continue;
    const own = sentValue(name, value);
    if (own !== '') kept[name] = own;
  }
  return kept;
}

function sentValue(name: string, value: string): string {
  // What cannot be read here could not be recorded.
  if (name === 'accept-encoding') return HAS_ZSTD ? value : withoutZstd(value);
  if (name !== 'cookie') return value;
  return value
    .split(';')
    .filter((cookie) => !cookie.trim().startsWith('palimpsest'))
    .join(';')
    .trim();
}

function withoutZstd(value: string): string {
  const kept = value.split(',').filter((coding) => !/^\s*zstd\b/i.test(coding));
  return kept.join(',') || 'identity';
}

/** The headers of an answer as the client gets them. */
export function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  own: Readonly<Record<string, string>>,
): Headers {
  const kept = new Headers();
  const connection = headers.connection;
  const named = namesIn(Array.isArray(connection) ? connection.join(',') : (connection ?? ''));
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || OF_ANSWER.has(name) || named.has(name)) continue;
    // Pages of other sites are not to read what passes through here.
    if (name.startsWith('access-control-')) continue;
    for (const each of Array.isArray(value) ? value : [value]) kept.append(name, each);
  }
  for (const [name, value] of Object.entries(own)) kept.set(name, value);
  return kept;
}

function connectionNames(headers: Headers): ReadonlySet<string> {
  return namesIn(headers.get('connection') ?? '');
}

function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(',').map((name) => name.trim().toLowerCase()));
}
