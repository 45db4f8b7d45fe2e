import { createHmac } from 'node:crypto';

/**
 * The headers that tell a hook who calls and when (SPEC section 16): an HMAC-SHA-256 over timestamp,
 * a full stop and the body as it is sent. `timestamp` is in seconds since 1970.
 */
export function signatureHeaders(
  body: string,
  secret: string,
  timestamp: number,
): { [header: string]: string } {
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return {
    'X-Palimpsest-Timestamp': String(timestamp),
    'X-Palimpsest-Signature': `v1=${signature}`,
  };
}
