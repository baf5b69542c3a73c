/**
 * A process in which nodes start one after the other. To load the program is most of the work of a start, and where
 * a test starts on dozens of folders it is done once.
 *
 * What always holds: a process that ends by itself fails the start, or the stop, that it was asked for, and the next
 * start has a new one. So does the one after many, for starts that were refused leave threads behind.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { OPERATOR_TOKEN, type PurserExit, type StartPurserOptions } from '../../support/purser-process.ts';
import type { Order, Report } from './hosted-nodes.ts';
import { type ServerUnderTest, underTest } from './server-under-test.ts';

const PROGRAM = join(import.meta.dirname, 'hosted-nodes.js');
const STARTS_PER_PROCESS = 25;
/** A start takes a moment, and so does a stop; a machine that stands still takes longer. */
const PATIENCE_MS = 60_000;

type HostedOptions = Pick<StartPurserOptions, 'dataDir' | 'env'>;

export class NodeHost {
  readonly #nodeBinary: string | undefined;
  #process: HostProcess | undefined;

  /** `nodeBinary`: what to run it with; default: the node that runs the test. */
  constructor(nodeBinary?: string) {
    this.#nodeBinary = nodeBinary;
  }

  /** Starts a node, or returns the one line with which it refused; like `startOrRefuse`, in a process that goes on. */
  async startOrRefuse({ dataDir, env }: HostedOptions): Promise<ServerUnderTest | string> {
    if (this.#process?.isUsedUp !== false) {
      await this.close();
      this.#process = new HostProcess(this.#nodeBinary);
    }
    const host = this.#process;
    assert.ok(host);
    const token = { PURSER_OPERATOR_TOKEN: OPERATOR_TOKEN };
    const outcome = await host.ask({ kind: 'start', dataDir, env: { ...token, ...env } });
    if (outcome.kind === 'refused') {
      assert.match(outcome.message, /^.+$/, 'not one line');
      const [starting = '{}', ...more] = host.logged.split('\n').filter((line) => line !== '');
      assert.equal((JSON.parse(starting) as { msg?: string }).msg ?? 'starting', 'starting');
      assert.deepEqual(more, [], 'it said more than why it refuses');
      return outcome.message;
    }
    assert.ok(outcome.kind === 'ready');
    const stop = async () => {
      assert.equal((await host.ask({ kind: 'stop' })).kind, 'stopped');
      return 0;
    };
    return underTest({
      buyerUrl: outcome.buyerUrl,
      operatorUrl: outcome.operatorUrl,
      operatorToken: OPERATOR_TOKEN,
      pid: host.child.pid ?? -1,
      output: () => host.logged + host.errors,
      stop,
      // A node that doesn't stop is no affair of whoever would have killed it.
      kill: () =>
        stop().then(
          () => {},
          () => host.kill(),
        ),
      exited: host.exited,
    });
  }

  async start(options: HostedOptions): Promise<ServerUnderTest> {
    const outcome = await this.startOrRefuse(options);
    assert.ok(typeof outcome !== 'string', `refused: ${outcome}`);
    return outcome;
  }

  async assertRefuses(options: HostedOptions): Promise<string> {
    const outcome = await this.startOrRefuse(options);
    if (typeof outcome === 'string') return outcome;
    await outcome.kill();
    return assert.fail('the node started');
  }

  async close(): Promise<void> {
    const host = this.#process;
    this.#process = undefined;
    await host?.kill();
    if (host?.hasEnded === false) assert.equal(host.errors, '');
  }
}

class HostProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<PurserExit>;
  /** By the node that was started last. */
  logged = '';
  /** What came to standard error, where a process that is well says nothing. */
  errors = '';
  hasEnded = false;
  #starts = 0;

  constructor(nodeBinary: string | undefined) {
    this.child = fork(PROGRAM, {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
      execArgv: [],
      ...(nodeBinary === undefined ? {} : { execPath: nodeBinary }),
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.child.on('message', (report: Report) => {
      if (report.kind === 'logged') this.logged += report.line;
    });
    // Once its output has been read, too.
    this.exited = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
  }

  get isUsedUp(): boolean {
    return this.hasEnded || this.#starts >= STARTS_PER_PROCESS;
  }

  /** Resolves with what it reports; rejects, and leaves no process, when it ends or is silent instead. */
  async ask(order: Order): Promise<Report> {
    if (order.kind === 'start') {
      this.#starts += 1;
      this.logged = '';
    }
    const late = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE_MS);
    try {
      this.child.send(order, () => {});
      const outcome = await Promise.race([this.#report(), this.exited]);
      if ('kind' in outcome) return outcome;
      this.hasEnded = true;
      const { code, signal } = outcome;
      throw new Error(`asked to ${order.kind}, it ended (code ${code}, signal ${signal})\n${this.errors}`);
    } finally {
      clearTimeout(late);
    }
  }

  #report(): Promise<Report> {
    return new Promise((resolve) => {
      const listen = (report: Report) => {
        if (report.kind === 'logged') return;
        this.child.off('message', listen);
        resolve(report);
      };
      this.child.on('message', listen);
    });
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}
