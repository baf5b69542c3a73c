/**
 * A real Purser in a process of its own, on ports the system chose, as a test or the benchmark needs it.
 *
 * Invariant: `startPurser` either resolves with a server that has printed its ready line, or rejects with a
 * `PurserExitedError` and leaves no process behind. Output is kept up to a bound. Waiting for the ready line rather
 * than polling a port also proves that the line is there for operators' scripts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { purserEntry } from '../repository-root.ts';

export interface StartPurserOptions {
  readonly dataDir: string;
  /** Further flags of `purser serve`. They come last, so they can override the ports. */
  readonly flags?: readonly string[];
  /** Added to this process's environment, from which every `PURSER_…` variable is taken out first. */
  readonly env?: Readonly<Record<string, string>>;
  /** The node to run it with; default: the one that runs the test. */
  readonly nodeBinary?: string;
  /** The program; default: the one an operator starts. */
  readonly entry?: string;
  /** A program that needs no node, in place of both. */
  readonly binary?: string;
  /** How long start-up, recovery included, may take; default 30 s. */
  readonly readyTimeoutMs?: number;
}

export interface PurserExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface PurserProcess {
  /** Ends with `/api/v1/buyer`. */
  readonly buyerUrl: string;
  /** Ends with `/operator/v1`. */
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly pid: number;
  /** The text printed on stdout and stderr, the lines of the last 64 KB. */
  output(): string;
  /** SIGTERM; resolves with the exit code once it has exited. After 30 s it is killed and this rejects. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves once it has exited. */
  kill(): Promise<void>;
  readonly exited: Promise<PurserExit>;
}

/** The server exited, or was killed for being too slow, before it was ready. */
export class PurserExitedError extends Error {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout and stderr as they came. */
  readonly output: string;

  constructor(reason: string, exit: PurserExit, captured: CapturedOutput) {
    super(`${reason} (code ${exit.code}, signal ${exit.signal})\n${captured.all}`);
    this.name = 'PurserExitedError';
    this.code = exit.code;
    this.signal = exit.signal;
    this.stdout = captured.stdout;
    this.stderr = captured.stderr;
    this.output = captured.all;
  }
}

interface CapturedOutput {
  stdout: string;
  stderr: string;
  all: string;
}

export const OPERATOR_TOKEN = 'operator-token-for-tests';
const outputMaxChars = 64 * 1024;
const stopTimeoutMs = 30_000;
/** A process that has exited leaves its last lines in the pipe until this one comes to read them. */
const pipeDrainMs = 10_000;
const readyLine =
  /^purser is ready: buyer API (https?:\/\/\S+\/api\/v1\/buyer), operator API (http:\/\/\S+\/operator\/v1)$/m;

export async function startPurser(options: StartPurserOptions): Promise<PurserProcess> {
  const ports = ['--port', '0', '--operator-port', '0'];
  const args = [
    ...(options.binary === undefined ? [options.entry ?? purserEntry()] : []),
    'serve',
    '--data',
    options.dataDir,
    ...ports,
    ...(options.flags ?? []),
  ];
  const child = spawn(options.binary ?? options.nodeBinary ?? process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...foreignEnvironment(), PURSER_OPERATOR_TOKEN: OPERATOR_TOKEN, ...options.env },
  });
  const captured: CapturedOutput = { stdout: '', stderr: '', all: '' };
  const exited = watchExit(child);
  const ready = watchOutput(child, captured);

  const readyTimeoutMs = options.readyTimeoutMs ?? 30_000;
  const outcome = await firstOf<Addresses | PurserExit>([ready, exited], readyTimeoutMs);
  if (outcome === 'timeout') {
    child.kill('SIGKILL');
    throw new PurserExitedError(`purser was not ready within ${readyTimeoutMs} ms`, await exited, captured);
  }
  if ('code' in outcome) throw new PurserExitedError('purser exited before it was ready', outcome, captured);
  return {
    buyerUrl: outcome.buyerUrl,
    operatorUrl: outcome.operatorUrl,
    operatorToken: options.env?.PURSER_OPERATOR_TOKEN ?? OPERATOR_TOKEN,
    pid: child.pid ?? -1,
    output: () => captured.all,
    stop: () => stopChild(child, exited, captured),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    exited,
  };
}

/** The environment without what would silently change the server under test. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PURSER_')));
}

/** Resolves on exit, once its output has been read too. Never rejects: a failed spawn counts as an exit. */
async function watchExit(child: ChildProcess): Promise<PurserExit> {
  const killWithTest = () => child.kill('SIGKILL');
  process.once('exit', killWithTest);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exit = await new Promise<PurserExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      process.stderr.write(`${error}\n`);
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
  process.off('exit', killWithTest);
  await Promise.race([closed, delayUnref(pipeDrainMs)]);
  return exit;
}

interface Addresses {
  readonly buyerUrl: string;
  readonly operatorUrl: string;
}

function watchOutput(child: ChildProcess, captured: CapturedOutput): Promise<Addresses> {
  onLines(child.stderr, (text) => {
    captured.stderr = bounded(captured.stderr + text);
    captured.all = bounded(captured.all + text);
  });
  return new Promise((resolve) => {
    let found = false;
    onLines(child.stdout, (text) => {
      captured.stdout = bounded(captured.stdout + text);
      captured.all = bounded(captured.all + text);
      if (found) return;
      const [, buyerUrl, operatorUrl] = readyLine.exec(captured.stdout) ?? [];
      found = buyerUrl !== undefined && operatorUrl !== undefined;
      if (buyerUrl !== undefined && operatorUrl !== undefined) resolve({ buyerUrl, operatorUrl });
    });
  });
}

/** Whole lines, as a pipe may bring half of one, and the other stream's in between; at the end, what is left. */
function onLines(stream: Readable | null, take: (text: string) => void): void {
  let unfinished = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    unfinished += text;
    const end = unfinished.length > outputMaxChars ? unfinished.length : unfinished.lastIndexOf('\n') + 1;
    if (end > 0) take(unfinished.slice(0, end));
    unfinished = unfinished.slice(end);
  });
  stream?.once('end', () => take(unfinished));
}

/** Whole lines. */
function bounded(text: string): string {
  return text.length > outputMaxChars
    ? text.slice(text.indexOf('\n', text.length - outputMaxChars) + 1)
    : text;
}

async function stopChild(child: ChildProcess, exited: Promise<PurserExit>, captured: CapturedOutput) {
  child.kill('SIGTERM');
  const outcome = await firstOf([exited], stopTimeoutMs);
  if (outcome !== 'timeout') return outcome.code;
  child.kill('SIGKILL');
  throw new PurserExitedError(`purser did not stop within ${stopTimeoutMs} ms`, await exited, captured);
}

async function firstOf<T>(contenders: readonly Promise<T>[], timeoutMs: number): Promise<T | 'timeout'> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), timeoutMs);
  });
  try {
    return await Promise.race([...contenders, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function delayUnref(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs).unref());
}
