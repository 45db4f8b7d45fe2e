import type { TurnTold } from '../app/gateway/turn-told.ts';
import type { Measurement } from './catalogue.ts';

/** What is measured of one request to the gateway for an answer. */
export function measurementsOfTurn({ protocol, status, reason, seconds }: TurnTold): Measurement[] {
  return [
    { metric: 'palimpsest_gateway_turns_total', labels: { protocol, status }, value: 1 },
    { metric: 'palimpsest_gateway_added_seconds', labels: { protocol }, value: seconds },
    ...(reason === null
      ? []
      : [{ metric: 'palimpsest_gateway_bypasses_total', labels: { reason }, value: 1 } as const]),
  ];
}
