import type { RecallRounds } from '../../app/gateway/recall-rounds.ts';
import type { Recorded } from '../../app/gateway/record-answer.ts';
import { partialBytesOf } from './body.ts';
import { answerHeaders } from './headers.ts';
import { MOST_KEPT, type Passing, passedOn } from './pass-on.ts';
import { beginningOf } from './peek.ts';
import { type Again, joinedBody, splicedStream } from './recalled.ts';
import type { UpstreamAnswer } from './send.ts';

type First = Pick<UpstreamAnswer, 'statusCode' | 'headers'> & { body: Passing };

type Recalling = {
  rounds: RecallRounds;
  again: Again;
  own: Readonly<Record<string, string>>;
  isStream: boolean;
  cut: (() => void) | null;
  /** Writes an answer down; the client does not wait for it. */
  record: (read: () => Promise<Recorded['raw']>) => void;
};

/**
 * What the client gets of an answer in which calls of our tools are answered here. Null where it breaks
 * off before the client has been sent any of it.
 */
export async function recallAnswer(first: First, recalling: Recalling): Promise<Response | null> {
  const { rounds, again, own, isStream, cut, record } = recalling;
  const headers = answerHeaders(first.headers, own);
  const coding = headers.get('content-encoding');
  const status = first.statusCode;
  if (isStream) {
    const { body, answer } = splicedStream(first.body, coding, { rounds, again });
    const stream = passedOn(body, cut, ({ isWhole }) => record(() => answer(isWhole)));
    return new Response(stream, { status, headers: asPlain(headers) });
  }
  try {
    const { bytes, rest } = await beginningOf(first.body, MOST_KEPT);
    // Too long to be looked through, and to be recorded.
    if (rest !== null)
      return new Response(
        passedOn(rest, cut, () => {}),
        { status, headers },
      );
    const joined = await joinedBody(bytes, coding, { rounds, again });
    if (joined === null) {
      record(async () => ({
        bytes: await partialBytesOf(bytes, coding),
        isStream: false,
        isWhole: true,
      }));
      return new Response(new Uint8Array(bytes), { status, headers });
    }
    record(async () => joined.answer);
    if (joined.kind === 'joined') {
      return new Response(joined.text, { status, headers: asPlain(headers) });
    }
    const { refusal } = joined;
    if (refusal === null) return null;
    return new Response(new Uint8Array(refusal.bytes), {
      status: refusal.statusCode,
      headers: answerHeaders(refusal.headers, own),
    });
  } catch {
    return null;
  }
}

/** The headers of a body that was written here. */
function asPlain(headers: Headers): Headers {
  const plain = new Headers(headers);
  plain.delete('content-encoding');
  plain.delete('content-length');
  return plain;
}
