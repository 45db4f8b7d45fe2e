import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { type Launch, WrapError } from './launch.ts';

/** A signal that only this process is told of is the program's as well. */
const PASSED_ON = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program on this terminal until it ends; answers its exit code, or as shells do 128 and the number
 * of the signal that ended it. Throws WrapError when there is no such program.
 */
export async function run(program: string, { args, environment }: Launch): Promise<number> {
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  // The terminal tells the program itself; this process waits for what it makes of it.
  const ignore = () => {};
  process.on('SIGINT', ignore).on('SIGQUIT', ignore);
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    return await ended(child, program);
  } finally {
    process.off('SIGINT', ignore).off('SIGQUIT', ignore);
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

async function ended(child: ChildProcess, program: string): Promise<number> {
  try {
    const [code, signal] = await once(child, 'close');
    return signal === null ? code : 128 + constants.signals[signal as NodeJS.Signals];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new WrapError(`"${program}" was not found: install it, or add its folder to PATH`, {
        cause: error,
      });
    }
    throw error;
  }
}
