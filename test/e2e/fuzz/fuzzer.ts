import type { Json } from '../../../src/domain/json.ts';
import type { Oracle, Reply } from '../../support/openapi-fuzzer/oracle.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import type { Pool } from './pool.ts';
import type { FuzzRequest, RequestSource } from './requests.ts';

const CONCURRENCY = 16;
/** No answer within this time, without being asked to wait, is a finding. */
const PATIENCE_MS = 20_000;
const SHOWN_CHARACTERS = 600;
const MOST_FINDINGS = 12;
/** A proposal is open for a short time only: few requests meet one. */
const MOST_TIMES = 6;

/** How the replies were distributed, and what was wrong, each kind of finding once. */
type FuzzReport = {
  statuses: Record<string, number>;
  /** How often each operation was carried out, by method and path. */
  succeeded: Record<string, number>;
  findings: string[];
};

type Judge = (request: FuzzRequest, reply: Reply) => string | null;

/**
 * Sends `count` requests and judges every reply. The same seed makes the same requests; which of them
 * meet a session that waits for a packet, or a compaction under way, is a matter of time all the same.
 * So it goes on, up to six times as many, until each of the `routes` has been carried out once; half of
 * what comes then is of those that have not.
 */
export async function fuzz(
  url: string,
  source: RequestSource,
  judge: Judge,
  options: { seed: number; count: number; pool: Pool; routes?: readonly string[] },
): Promise<FuzzReport> {
  const statuses: Record<string, number> = {};
  const succeeded: Record<string, number> = {};
  const findings = new Map<string, string>();
  let started = 0;
  const missing = () => options.routes?.filter((route) => !(route in succeeded)) ?? [];
  const goesOn = () =>
    started < options.count || (started < options.count * MOST_TIMES && missing().length > 0);
  const worker = async () => {
    while (goesOn() && findings.size < MOST_FINDINGS) {
      started += 1;
      // A generator for each request: what one of them gets does not depend on who was faster.
      const random = new SeededRandom(options.seed + started * 7_919);
      const request = source.next(random, started > options.count ? missing() : []);
      const reply = await send(url, request);
      const status = reply === null ? 'hung up' : String(reply.status);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (reply === null) continue;
      const asked = request.body === null ? '' : new TextDecoder().decode(request.body);
      const answer = parsed(reply.text);
      options.pool.learn(answer, /"propose": ?true/.test(asked));
      options.pool.learnPin(request.target, answer);
      const problem = judge(request, reply);
      const route = `${request.method} ${request.operation?.path ?? request.target}`;
      if (reply.status < 300) succeeded[route] = (succeeded[route] ?? 0) + 1;
      if (problem !== null) findings.set(`${route} ${problem}`, describe(request, reply, problem));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return { statuses, succeeded, findings: [...findings.values()] };
}

/** A judge that goes by the published document. */
export function byDocument(oracle: Oracle): Judge {
  return ({ operation, target }, reply) => {
    if (staysAsItIs(target)) return oracle.judge(operation, reply);
    // Dots were resolved before it was sent: it may have become any other operation.
    return reply.status < 400 ? null : oracle.judge(null, reply);
  };
}

/** The reply, or null when the client hung up first, as it meant to. */
async function send(url: string, request: FuzzRequest): Promise<Reply | null> {
  const patience = request.hang_up_after_ms ?? PATIENCE_MS;
  try {
    const response = await fetch(url + request.target, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      signal: AbortSignal.timeout(patience),
    });
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text: await response.text(),
    };
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
    if (isTimeout && request.hang_up_after_ms !== null) return null;
    const why = isTimeout ? `no answer in ${PATIENCE_MS} ms` : `the connection broke: ${error}`;
    return { status: 599, contentType: '', text: why };
  }
}

/** Whether the path of this target is what the service gets to see. */
export function staysAsItIs(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  return new URL(`http://host${target}`).pathname === path;
}

function describe(request: FuzzRequest, reply: Reply, problem: string): string {
  const body = request.body === null ? '' : new TextDecoder().decode(request.body);
  return [
    `${problem}: ${request.method} ${request.target}`,
    `  headers ${JSON.stringify(request.headers)}`,
    `  body    ${body.slice(0, SHOWN_CHARACTERS)}`,
    `  answer  ${reply.status} ${reply.contentType} ${reply.text.slice(0, SHOWN_CHARACTERS)}`,
  ].join('\n');
}

function parsed(text: string): Json {
  try {
    // JSON.parse yields exactly the values that Json names.
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
