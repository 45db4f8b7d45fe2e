import type { Protocol } from '../../domain/gateway/protocol.ts';

/** What came of a request to the gateway, for those who watch over it. */
export type TurnTold = {
  protocol: Protocol;
  /** `compacted`: the context took the place of the history; `answered`: without a provider. */
  status: 'forwarded' | 'compacted' | 'answered' | 'bypassed' | 'refused';
  /** Of what went past the gateway; null else. */
  reason: string | null;
  /** From the whole request to its way upstream, or to its answer. */
  seconds: number;
};
