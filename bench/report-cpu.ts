/*
 * Preloaded into a measured server: answers every message of its parent with the CPU time that the
 * process has used so far. Unlike a rate, it does not depend on what else the machine is doing.
 */
process.on('message', () => process.send?.(process.cpuUsage()));
// A parent that was killed cannot stop its servers.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The listeners alone must not keep a server alive that wants to end.
process.channel?.unref();
