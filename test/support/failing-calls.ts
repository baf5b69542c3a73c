/**
 * Calls of `node:fs` that change something, counted; one of them fails, and if it is the end of the process, so does
 * every one after it.
 *
 * They are the process's own: no other test may run beside.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const CHANGING = [
  'copyFileSync',
  'fsyncSync',
  'linkSync',
  'mkdirSync',
  'renameSync',
  'rmSync',
  'writeFileSync',
] as const;

export class EndOfProcess extends Error {
  override readonly name = 'EndOfProcess';
}

export interface FailingCall {
  /** From 0. */
  readonly call: number;
  /** What it fails with, once; undefined: the process seems to be at its end; `SIGKILL`: it is. */
  readonly code?: string;
}

/** Resolves when `work` has ended, with how many such calls it made, and what it rejected with. */
export async function withFailingCall(
  { call, code }: FailingCall,
  work: () => Promise<unknown>,
): Promise<{ readonly calls: number; readonly error: unknown }> {
  let calls = 0;
  const before = CHANGING.map((name) => [name, fs[name]] as const);
  for (const [name, original] of before) {
    const counted = (...args: unknown[]) => {
      const number = calls++;
      if (code === undefined && number >= call) throw new EndOfProcess(name);
      if (number === call && code === 'SIGKILL') process.kill(process.pid, code);
      if (number === call) throw Object.assign(new Error(`${code}: ${name}`), { code });
      return (original as (...args: unknown[]) => unknown)(...args);
    };
    Object.assign(fs, { [name]: counted });
  }
  syncBuiltinESMExports();
  try {
    const error: unknown = await work().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { calls, error };
  } finally {
    for (const [name, original] of before) Object.assign(fs, { [name]: original });
    syncBuiltinESMExports();
  }
}
