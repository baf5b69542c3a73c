/**
 * A step of a release: another program, in a group of processes of its own. A signal that is to end this process ends the
 * group instead, and the step then fails as any step does; so whoever called it can put things back.
 *
 * Not `execFileSync`: a process that waits in it is ended by Ctrl-C at once, with all that it has half done.
 */
import { spawn } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Resolves when it has succeeded. */
export async function step(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  let stopped;
  const stop = (signal) => {
    stopped = signal;
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    const status = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? signal));
    });
    if (stopped !== undefined || status !== 0)
      throw new Error(`${[command, ...args].join(' ')} ended with ${stopped ?? status}`);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
