/**
 * A worker thread as its owner on the main thread sees it: functions that are called by name, and answer later.
 *
 * Invariant: every call is answered, or rejected with what the thread said or with `ThreadEndedError`. Calls reach the
 * thread in the order in which they were made. A thread that could not start has done nothing: a call a second later
 * tries again. When one that was ready dies, its owner hears of it once and says what that means: fatal to the process,
 * or the next call starts another (`startsAgain`). `stop` lets the thread finish what came before.
 *
 * An answer is a value, or an error of a class that both sides list; any other error in the thread is a fault of the
 * program, or leaves unknown what a file is like, and ends the thread. Rejected: a class of messages for each thread,
 * which all came to the same; a pool (Piscina, which deliveries use), whose threads are all alike and keep no state.
 */
import { type Transferable, Worker } from 'node:worker_threads';
import { codeOf } from '../shared/error-code.ts';
import {
  type AnswerErrors,
  type AnswerOf,
  type Calls,
  NO_CALL,
  STOP,
  type ThreadAnswer,
  type ThreadRequest,
  type ThreadStart,
} from './thread-messages.ts';
import { WriteGate } from './write-gate.ts';

/** After a start that failed, which is mostly for want of file descriptors. */
export const START_AGAIN_MS = 1_000;
/** A write transaction that takes longer hangs: as long as the journal waits for a commit. */
const TRANSACTION_PATIENCE_MS = 60_000;

/** The thread could not start, has died, or was stopped. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
  /** False when it could not start, and so has done nothing. */
  readonly hasStarted: boolean;

  constructor(message: string, hasStarted: boolean, options?: ErrorOptions) {
    super(message, options);
    this.hasStarted = hasStarted;
  }
}

export interface WorkerLinkOptions<Data> {
  /** The file of the program, which calls `serve`. */
  readonly program: URL;
  /** As errors say it: "the thread that …". */
  readonly name: string;
  /** See `threadStart`. */
  readonly data: Data;
  /** Node's default is more than a thread needs whose objects die young. */
  readonly youngGenerationMb?: number;
  /** The classes of errors that `serve` has. */
  readonly errors?: AnswerErrors;
  /** Listeners to what the thread says unasked. */
  readonly events?: Calls;
  /** A thread that was ready has ended unasked. Its calls have been rejected. */
  readonly onDeath: (error: Error) => void;
  /** Whether the next call after a death starts the thread again. Default: calls are rejected. */
  readonly startsAgain?: boolean;
  /** How long a write transaction may hold up the thread's end; default 60 s. */
  readonly transactionPatienceMs?: number;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class WorkerLink<Data, Known extends Calls> {
  readonly #options: WorkerLinkOptions<Data>;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #gate: WriteGate | undefined;
  #isReady = false;
  #isOver = false;
  /** Why there is no thread. */
  #end: Error;
  #startAgainAtMs = Number.NEGATIVE_INFINITY;
  #lastId = NO_CALL;

  /** The thread is started by `start`, or by the first call. */
  constructor(options: WorkerLinkOptions<Data>) {
    this.#options = options;
    this.#end = new ThreadEndedError(`${options.name} has not started`, false);
  }

  /**
   * Call it once, first. Resolves when the thread is ready; rejects with what its program threw, or with
   * `ThreadEndedError` when there can't be such a thread.
   */
  start(): Promise<void> {
    if (this.#open() === undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#pending.set(NO_CALL, { resolve: () => resolve(), reject });
    });
  }

  /** `transfer`: memory of `args` that is handed over instead of copied. */
  call<Name extends keyof Known & string>(
    name: Name,
    args: Parameters<Known[Name]>,
    transfer?: readonly Transferable[],
  ): Promise<AnswerOf<Known[Name]>> {
    const worker = this.#open();
    if (worker === undefined) return Promise.reject(this.#end);
    return this.#ask(worker, name, args, transfer) as Promise<AnswerOf<Known[Name]>>;
  }

  /** A call whose answer nobody waits for. Does nothing when there is no thread. */
  tell<Name extends keyof Known & string>(name: Name, args: Parameters<Known[Name]>): void {
    this.#worker?.postMessage({ id: NO_CALL, name, args } satisfies ThreadRequest);
  }

  /**
   * Has the thread do what came before, and its own `stop`, which may wait `drainMs` for work under way. A thread that
   * isn't done `closingMs` later is broken off. Rejects when the thread fails meanwhile.
   */
  async stop(drainMs = 0, closingMs = Number.POSITIVE_INFINITY): Promise<void> {
    const worker = this.#worker;
    this.#stopCalls();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      if (Number.isFinite(closingMs)) timer = setTimeout(resolve, drainMs + closingMs);
    });
    try {
      if (worker !== undefined) await Promise.race([this.#ask(worker, STOP, [drainMs]), late]);
    } finally {
      clearTimeout(timer);
      await this.breakOff();
    }
  }

  /** Ends the thread, whatever is under way but a write transaction. Rejects when a transaction hangs. */
  async breakOff(): Promise<void> {
    this.#stopCalls();
    const worker = this.#worker;
    this.#worker = undefined;
    const isHanging = worker !== undefined && this.#gate?.shut(this.#patienceMs) === false;
    if (isHanging)
      this.#end = new ThreadEndedError(`${this.#options.name} does not finish a write transaction`, true);
    if (isHanging) worker.unref();
    else await worker?.terminate();
    this.#rejectAll(this.#end);
    if (isHanging) throw this.#end;
  }

  get #patienceMs(): number {
    return this.#options.transactionPatienceMs ?? TRANSACTION_PATIENCE_MS;
  }

  #stopCalls(): void {
    this.#isOver = true;
    this.#end = new ThreadEndedError(`${this.#options.name} has been stopped`, true);
  }

  #ask(worker: Worker, name: string, args: readonly unknown[], transfer?: readonly Transferable[]) {
    this.#lastId += 1;
    const id = this.#lastId;
    worker.postMessage({ id, name, args } satisfies ThreadRequest, transfer);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  #open(): Worker | undefined {
    if (this.#worker !== undefined && !this.#isOver) return this.#worker;
    if (this.#isOver || performance.now() < this.#startAgainAtMs) return undefined;
    const gate = new WriteGate();
    const worker = this.#create(gate);
    if (worker === undefined) return undefined;
    // Before `#ended`, which may exit: of a thread that died inside a transaction the gate stays taken.
    gate.guard(worker, this.#patienceMs);
    let failure: Error | undefined;
    worker.on('message', (answers: readonly ThreadAnswer[]) => {
      if (worker === this.#worker) for (const answer of answers) this.#hear(answer);
    });
    worker.on('error', (cause: Error) => {
      failure = cause;
      // What the thread said before may be heard after this.
      setImmediate(() => this.#ended(worker, cause));
    });
    worker.on('exit', () => this.#ended(worker, failure));
    this.#worker = worker;
    this.#gate = gate;
    return worker;
  }

  /** Undefined when the system has no thread to give. */
  #create(gate: WriteGate): Worker | undefined {
    const { program, name, data, youngGenerationMb } = this.#options;
    try {
      return new Worker(program, {
        workerData: { data, gate: gate.shared } satisfies ThreadStart,
        ...(youngGenerationMb !== undefined && {
          resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
        }),
      });
    } catch (cause) {
      this.#startAgainAtMs = performance.now() + START_AGAIN_MS;
      this.#end = new ThreadEndedError(`${name} can't start: ${(cause as Error).message}`, false, { cause });
      return undefined;
    }
  }

  #hear(message: ThreadAnswer): void {
    if (message.kind === 'event') {
      this.#options.events?.[message.name]?.(...(message.args as never[]));
      return;
    }
    if (message.id === NO_CALL) this.#isReady = true;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'answer') return pending?.resolve(message.value);
    const error = new Error(message.message);
    Object.setPrototypeOf(error, this.#options.errors?.[message.place]?.prototype ?? Error.prototype);
    pending?.reject(Object.assign(error, message.fields));
  }

  #ended(worker: Worker, cause?: Error): void {
    // An error is followed by the exit.
    if (worker !== this.#worker) return;
    const { name, onDeath, startsAgain = false } = this.#options;
    const wasReady = this.#isReady;
    const wasStopping = this.#isOver;
    this.#worker = undefined;
    this.#isReady = false;
    this.#isOver ||= wasReady && !startsAgain;
    if (!wasReady) this.#startAgainAtMs = performance.now() + START_AGAIN_MS;
    const whenReady = cause === undefined ? `${name} has ended` : `${name} failed`;
    const what = wasReady ? whenReady : `${name} can't start: ${cause?.message ?? 'it has ended'}`;
    this.#end = new ThreadEndedError(what, wasReady, { cause });
    const isOfSystem = codeOf(cause)?.startsWith('ERR_WORKER') === true;
    this.#pending.get(NO_CALL)?.reject(isOfSystem ? this.#end : (cause ?? this.#end));
    this.#rejectAll(this.#end);
    if (wasReady && !wasStopping) onDeath(this.#end);
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
