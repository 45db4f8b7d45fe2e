/** Aborted by the first SIGINT or SIGTERM: the command cleans up, and ends by itself. */
export function stopped(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}
