import { brotliCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayLab } from '../../support/gateway/lab.ts';

let lab: GatewayLab;
beforeEach(async () => {
  lab = await GatewayLab.open();
});
afterEach(() => lab.close());

const PATHS = ['/v1/messages', '/v1/chat/completions', '/v1/responses'];
const hello = [{ role: 'user', content: 'Hello' }];
const turn = (path: string, more: object = {}) => ({
  model: 'm',
  max_tokens: 100,
  ...(path === '/v1/responses' ? { input: hello } : { messages: hello }),
  ...more,
});
const name = { 'x-palimpsest-session': 'same' };

function begin(path: string, signal: AbortSignal): Promise<Response> {
  return fetch(lab.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...name },
    body: JSON.stringify(turn(path, { stream: true })),
    signal,
  });
}

describe.each(PATHS)('%s', (path) => {
  it('hands on each piece when it comes, however slowly', async () => {
    lab.provider.troubles.push('slow');
    const response = await begin(path, AbortSignal.timeout(60_000));
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      pieces.push(decoder.decode(chunk, { stream: true }));
    }
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toContain('breaks off');
    const session = response.headers.get('palimpsest-session') ?? '';
    await expect.poll(() => lab.items(session)).toHaveLength(2);
  });

  it('lets go of the upstream when the client hangs up, and records what has come', async () => {
    lab.provider.troubles.push('stall');
    const client = new AbortController();
    const response = await begin(path, client.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    client.abort();
    await expect.poll(() => lab.provider.abandoned).toBe(1);
    const session = response.headers.get('palimpsest-session') ?? '';
    // What was said before, if anything was; then the session goes on.
    const again = await lab.post(path, turn(path), name);
    expect([again.status, again.session]).toEqual([200, session]);
    await expect.poll(async () => JSON.stringify(await lab.items(session))).toContain('Done.');
  });

  it('lets go of an upstream that does not begin when the client hangs up', async () => {
    lab.provider.troubles.push('hang');
    const client = new AbortController();
    const response = begin(path, client.signal);
    await expect.poll(() => lab.provider.received).toHaveLength(1);
    client.abort();
    await expect(response).rejects.toThrow();
    await expect.poll(() => lab.provider.abandoned).toBe(1);
    expect((await lab.post(path, turn(path), name)).status).toBe(200);
    expect(lab.api.logged).toEqual([]);
  });
});

it('sends a body on that is too long to be read here', async () => {
  const long = 'x'.repeat(64 * 1024 * 1024);
  const raw = JSON.stringify(turn('/v1/messages', { messages: [{ role: 'user', content: long }] }));
  const answer = await lab.post('/v1/messages', raw, name);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('palimpsest-status')).toBe('bypassed; reason=body_too_large');
  expect(lab.provider.received[0]?.raw.length).toBe(raw.length);
  expect(lab.provider.received[0]?.raw.subarray(-40).toString()).toBe(raw.slice(-40));
});

it('sends a compressed body on that is too long when it is read', async () => {
  const long = ' '.repeat(65 * 1024 * 1024);
  const raw = brotliCompressSync(`${JSON.stringify(turn('/v1/messages'))}${long}`);
  const answer = await lab.post('/v1/messages', raw, { ...name, 'content-encoding': 'br' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('palimpsest-status')).toBe('bypassed; reason=content_encoding');
  expect(lab.provider.received[0]?.raw.equals(raw)).toBe(true);
});

it('sends a body on in a coding that nobody here knows', async () => {
  const raw = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]);
  const answer = await lab.post('/v1/messages', raw, { ...name, 'content-encoding': 'zstd' });
  expect(answer.headers.get('palimpsest-status')).toBe('bypassed; reason=content_encoding');
  expect(lab.provider.received[0]?.raw.equals(raw)).toBe(true);
  expect(lab.provider.received[0]?.headers['content-encoding']).toBe('zstd');
});

it('does nothing more for a client that hangs up while its turn waits to be understood', async () => {
  const asked: string[] = [];
  const waiting = (_: unknown, signal = AbortSignal.abort()) => {
    asked.push('plan');
    return new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const never = async (): Promise<never> => {
    asked.push('more');
    throw new Error('nobody asks for this');
  };
  const told: unknown[] = [];
  const crowded = await GatewayLab.open({
    turnsElsewhere: { plan: waiting, record: never, revise: never, compact: never, lookUp: never },
    onTurn: (turn) => told.push(turn),
  });
  try {
    const client = new AbortController();
    const messages = [{ role: 'user', content: 'x'.repeat(200_000) }];
    const sent = fetch(`${crowded.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...name },
      body: JSON.stringify(turn('/v1/messages', { messages })),
      signal: client.signal,
    });
    await expect.poll(() => asked).toEqual(['plan']);
    client.abort();
    await expect(sent).rejects.toThrow();
    // Whoever comes next finds nothing of it.
    const small = await crowded.post('/v1/messages', turn('/v1/messages'), name);
    expect(small.headers.get('palimpsest-status')).toBe('forwarded');
    await expect.poll(() => crowded.items(small.session)).toHaveLength(2);
    expect((await crowded.items(small.session))[0]).toEqual(hello[0]);
    expect((await crowded.events(small.session)).map(({ type }) => type)).not.toContain(
      'turn.bypassed',
    );
    expect([asked, told.length, crowded.api.logged]).toEqual([['plan'], 1, []]);
  } finally {
    await crowded.close();
  }
});

it('goes on in one session where a program asks for the rest of an answer, and joins both', async () => {
  const asked = { role: 'user', content: 'Why does the build fail?' };
  const resume =
    'The connection dropped mid-response. Resume directly — no apology, no recap of what you were doing. Pick up mid-thought if that is where the cut happened.\n\nThe previous assistant response ended with this exact suffix.\n\n<previous_response_suffix>\nA file\n</previous_response_suffix>';
  const say = async (...messages: { role: string; content: string }[]) => {
    const answer = await lab.post('/v1/chat/completions', { model: 'm', messages }, name);
    return answer.session;
  };
  lab.provider.script = (_, index) => ({
    text: ['A file', ' is missing.', 'The lexer.'][index] ?? '',
  });
  const session = await say(asked);
  await expect.poll(() => lab.items(session)).toHaveLength(2);
  const part = { role: 'assistant', content: 'A file' };
  expect(await say(asked, part, { role: 'user', content: resume })).toBe(session);
  await expect.poll(() => lab.items(session)).toHaveLength(4);
  const whole = { role: 'assistant', content: 'A file is missing.' };
  expect(await say(asked, whole, { role: 'user', content: 'Which one?' })).toBe(session);
});
