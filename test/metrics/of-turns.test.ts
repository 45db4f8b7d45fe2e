import { expect, test } from 'vitest';
import { measurementsOfTurn } from '../../src/metrics/of-turns.ts';
import { openMetrics } from '../../src/metrics/registry.ts';

test('each metric of the gateway moves', async () => {
  const { record, page } = openMetrics(async () => []);
  const told = [
    { protocol: 'messages', status: 'forwarded', reason: null, seconds: 0.002 },
    { protocol: 'messages', status: 'bypassed', reason: 'timeout', seconds: 15 },
  ] as const;
  for (const measurement of told.flatMap(measurementsOfTurn)) record(measurement);
  const lines = (await page()).text.split('\n');
  for (const expected of [
    'palimpsest_gateway_turns_total{protocol="messages",status="forwarded"} 1',
    'palimpsest_gateway_turns_total{protocol="messages",status="bypassed"} 1',
    'palimpsest_gateway_bypasses_total{reason="timeout"} 1',
    'palimpsest_gateway_added_seconds_count{protocol="messages"} 2',
    'palimpsest_gateway_added_seconds_bucket{le="0.0025",protocol="messages"} 1',
  ]) {
    expect(lines).toContain(expected);
  }
});
