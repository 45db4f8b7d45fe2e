import { once } from 'node:events';
import { Transform } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { openTarget, type TargetFlags } from './open-target.ts';
import { checkedId } from './reading.ts';
import { jsonOf, type Target, TargetError } from './target.ts';
import { MOST_OF_FOREIGN, plainLine } from './terminal/plain-text.ts';

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
/** What JSON-RPC calls an error of the server. */
const SERVER_ERROR = -32_603;

/**
 * Serves MCP over standard input and output, for clients that start programs: each message goes to `/mcp`
 * of the service, or of the store in this process. Without a session the client names one with each call.
 * Answers when the input has ended and everything is answered. Throws SettingsError, TargetError.
 */
export async function mcpCommand(session: string | undefined, flags: TargetFlags): Promise<void> {
  const path = session === undefined ? '/mcp' : `/mcp/${checkedId(session, 'session')}`;
  const target = await openTarget(flags, false);
  const input = process.stdin.pipe(withLastLineEnded());
  process.stdin.on('error', (error) => input.destroy(error));
  const transport = new StdioServerTransport(input);
  const underWay = new Map<RequestId, AbortController>();
  const answers = new Set<Promise<void>>();
  transport.onmessage = (message) => {
    const cancelled = CancelledNotificationSchema.safeParse(message);
    if (cancelled.success) underWay.get(cancelled.data.params.requestId ?? '')?.abort();
    const answer = answered(message).finally(() => answers.delete(answer));
    answers.add(answer);
  };
  // What was sent is quoted in it, and may stand on somebody's terminal.
  transport.onerror = (error) => console.error(plainLine(error.message, MOST_OF_FOREIGN));
  const givenUp = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  const answered = async (message: JSONRPCMessage) => {
    const id = 'method' in message && 'id' in message ? message.id : null;
    const abort = new AbortController();
    if (id !== null) underWay.set(id, abort);
    try {
      const reply = await passedOn(target, path, message, abort.signal);
      if (reply !== null) await transport.send(reply);
    } catch (error) {
      // Who has cancelled waits for nothing.
      if (id === null || abort.signal.aborted) return;
      const { message: told } = error instanceof Error ? error : new Error(String(error));
      await transport.send({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message: told } });
    } finally {
      if (id !== null) underWay.delete(id);
    }
  };
  try {
    const ended = once(input, 'end');
    await transport.start();
    const isWhole = await Promise.race([ended.then(() => true), givenUp.then(() => false)]);
    if (!isWhole) throw new TargetError('the input was given up: a message of it does not end');
    await Promise.all(answers);
  } finally {
    await transport.close();
    process.stdin.unpipe(input).pause();
    await target.close();
  }
}

/** A client may leave the end of its last line out, which the transport would wait for. */
function withLastLineEnded(): Transform {
  let isEnded = true;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      isEnded = chunk.at(-1) === LINE_END;
      done(null, chunk);
    },
    flush(done) {
      done(null, isEnded ? null : '\n');
    },
  });
}

const LINE_END = 10;

/** The answer of the service; null: none is due. Throws TargetError with what it says is wrong. */
async function passedOn(
  target: Target,
  path: string,
  message: JSONRPCMessage,
  signal: AbortSignal,
): Promise<JSONRPCMessage | null> {
  const body = JSON.stringify(message);
  const response = await target.request(path, { method: 'POST', headers: HEADERS, body, signal });
  if (response.status === 202) return null;
  return JSONRPCMessageSchema.parse(await jsonOf(response));
}
