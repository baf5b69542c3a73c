/**
 * The thread's side of a `WorkerLink`: what it was started with, and the functions that the main thread may call.
 *
 * Answers and events of one tick of the event loop go as one message, in order: the main thread, which decides every
 * purchase, is then interrupted once.
 */
import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { giveWay } from './give-way.ts';
import {
  type AnswerErrors,
  type Calls,
  Moved,
  NO_CALL,
  STOP,
  type ThreadAnswer,
  type ThreadRequest,
  type ThreadStart,
} from './thread-messages.ts';
import { WriteGate } from './write-gate.ts';

let messages: ThreadAnswer[] = [];
let transfers: Transferable[] = [];

/** `data` of the link's options, and the gate that the thread's write transactions pass. */
export function threadStart<Data>(): { readonly data: Data; readonly gate: WriteGate } {
  const { data, gate } = workerData as ThreadStart;
  return { data: data as Data, gate: new WriteGate(gate) };
}

/** Functions that say something unasked: `events` of the link's options, by these names. */
export function sayer<Events extends Calls>(...names: (keyof Events & string)[]): Events {
  const say =
    (name: string) =>
    (...args: readonly unknown[]) =>
      post({ kind: 'event', name, args });
  return Object.fromEntries(names.map((name) => [name, say(name)])) as unknown as Events;
}

/**
 * Says that the thread is ready, and answers from now on, behind the traffic (`giveWay`). A function may return a
 * promise. One of `errors` is answered; what else is thrown ends the thread. Without a `stop` of its own, a thread stops
 * when the calls under way are answered.
 */
export function serve(calls: Calls, errors: AnswerErrors = []): void {
  if (parentPort === null) throw new Error('this is the program of a worker thread');
  giveWay();
  const underWay = new Set<Promise<void>>();
  const known: Calls = { [STOP]: () => Promise.all(underWay), ...calls };
  parentPort.on('message', (request: ThreadRequest) => {
    const answered = answer(known, errors, request).finally(() => underWay.delete(answered));
    underWay.add(answered);
  });
  post({ kind: 'answer', id: NO_CALL, value: undefined });
}

async function answer(calls: Calls, errors: AnswerErrors, { id, name, args }: ThreadRequest): Promise<void> {
  try {
    const call = calls[name];
    if (call === undefined) throw new Error(`the thread has no call ${name}`);
    const result = await call(...(args as never[]));
    if (id === NO_CALL) return;
    const isMoved = result instanceof Moved;
    if (isMoved) transfers.push(...result.transfer);
    post({ kind: 'answer', id, value: isMoved ? result.value : result });
  } catch (error) {
    const place = errors.findIndex((type) => error instanceof type);
    const isAnswer = place !== -1 || calls[name] === undefined;
    if (!isAnswer || id === NO_CALL) throw error;
    const { message } = error as Error;
    post({ kind: 'error', id, place, message, fields: { ...(error as Error) } });
  }
}

function post(message: ThreadAnswer): void {
  messages.push(message);
  if (messages.length === 1) queueMicrotask(postAll);
}

function postAll(): void {
  parentPort?.postMessage(messages, transfers);
  messages = [];
  transfers = [];
}
