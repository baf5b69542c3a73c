/** The `purser` command line as a person or a script would call it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { purserEntry } from '../repository-root.ts';

export interface CommandOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<CommandOutcome>;
}

const outputMaxChars = 64 * 1024;

/**
 * Starts it and leaves its standard input open. A write to it after it has gone is ignored. `binary` is a program that
 * needs no node, in its place.
 */
export function startCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  binary?: string,
): RunningCommand {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PURSER_')));
  const [program = '', ...before] = binary === undefined ? [process.execPath, purserEntry()] : [binary];
  const child = spawn(program, [...before, ...args], {
    env: { ...env, ...environment },
    stdio: 'pipe',
  });
  child.stdin.on('error', () => {});
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-outputMaxChars);
    });
  }
  const ended = new Promise<CommandOutcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, ended };
}

/** Runs it to its end, with nothing on standard input. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  binary?: string,
): Promise<CommandOutcome> {
  const { child, ended } = startCommand(args, environment, binary);
  child.stdin.end();
  return ended;
}
