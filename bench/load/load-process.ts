/** The parent's end of one load process: prepare a plan, let it go, take the answers. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Aside, putAside } from '../measure/aside.ts';
import type { WindowResult } from './load-window.ts';
import type { FromLoadProcess, ToLoadProcess } from './messages.ts';
import type { LoadPlan } from './plan.ts';

export interface ProcessWindow {
  readonly result: WindowResult;
  readonly answers: readonly Buffer[];
}

interface Waiter {
  readonly resolve: (message: FromLoadProcess) => void;
  readonly reject: (error: Error) => void;
}

export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #arrived: FromLoadProcess[] = [];
  #waiter: Waiter | undefined;
  #ended: Error | undefined;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message) => this.#arrive(message as FromLoadProcess));
    child.on('error', (error) => this.#end(error));
    child.on('exit', (code, signal) => this.#end(new Error(`a load process ended (${signal ?? code})`)));
  }

  /** `aside`: for one that elsewhere has a machine of its own. */
  static start(aside?: Aside): LoadProcess {
    const program = fileURLToPath(new URL(`./worker${import.meta.filename.slice(-3)}`, import.meta.url));
    const child = fork(program, { serialization: 'advanced' });
    if (aside !== undefined) putAside(child, aside);
    return new LoadProcess(child);
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Resolves when all connections are open. */
  async prepare(plan: LoadPlan): Promise<void> {
    this.#tell({ kind: 'prepare', plan });
    await this.#expect('prepared');
  }

  /** Resolves when measuring begins. */
  async go(): Promise<void> {
    this.#tell({ kind: 'go' });
    await this.#expect('measuring');
  }

  /** Ends a window before its time. */
  enough(): void {
    this.#tell({ kind: 'enough' });
  }

  /** Resolves when measuring ends; the last answers are still on their way. */
  async measured(): Promise<void> {
    await this.#expect('measured');
  }

  async finish(): Promise<ProcessWindow> {
    const answers: Buffer[] = [];
    for (;;) {
      const message = await this.#next();
      if (message.kind === 'answers')
        answers.push(Buffer.from(message.chunk.buffer, message.chunk.byteOffset, message.chunk.length));
      else if (message.kind === 'finished') return { result: message.result, answers };
      else throw unexpected(message);
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#tell({ kind: 'stop' });
    await exited;
  }

  async #expect(kind: FromLoadProcess['kind']): Promise<void> {
    const message = await this.#next();
    if (message.kind !== kind) throw unexpected(message);
  }

  #tell(message: ToLoadProcess): void {
    this.#child.send(message, (error) => error !== null && this.#end(error));
  }

  #next(): Promise<FromLoadProcess> {
    const message = this.#arrived.shift();
    if (message !== undefined) return Promise.resolve(message);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  #arrive(message: FromLoadProcess): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (waiter === undefined) this.#arrived.push(message);
    else waiter.resolve(message);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#waiter?.reject(error);
    this.#waiter = undefined;
  }
}

function unexpected(message: FromLoadProcess): Error {
  if (message.kind === 'failed') return new Error(`load process: ${message.message}`);
  return new Error(`a load process said "${message.kind}" out of turn`);
}
