import perf_hooks from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { openMetrics } from '../../src/metrics/registry.ts';

test('the event loop is watched from the first look on: an idle process is not woken for nobody', async () => {
  const watch = vi.spyOn(perf_hooks, 'monitorEventLoopDelay');
  const { page } = openMetrics(async () => []);
  expect(watch).not.toHaveBeenCalled();
  expect((await page()).text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect((await page()).text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(watch).toHaveBeenCalledTimes(1);
  watch.mockRestore();
});
