/** Milliseconds of the processor that this process has taken so far: what else the machine does does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
