/**
 * The thread in which the feed's lines are made: reading and decoding the journal for a bot that was down for days
 * must take nothing from purchases. It only reads, so it needs no gate.
 *
 * Segments that the start has not looked at are proved before LMDB opens them, once; the readers of the others wait
 * meanwhile, for a second or two, which is what a history that old costs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { checkSegment, unprovedSegments } from '../persistence/folder/folder-check.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import { openLogReaders } from '../persistence/journal/open-log.ts';
import { giveWay } from '../persistence/lmdb/background-thread.ts';
import type { FeedAnswer, FeedRequest, FeedThreadData } from './feed-messages.ts';
import { type FeedGone, FeedReader } from './feed-reader.ts';

type Say = (answer: FeedAnswer, transfer?: readonly ArrayBuffer[]) => void;

class FeedThread {
  readonly #openLog: () => LogReader;
  readonly #say: Say;
  readonly #readers = new Map<number, FeedReader>();
  readonly #unproved: Set<string>;

  constructor({ folder }: FeedThreadData, say: Say) {
    this.#openLog = openLogReaders(folder, (file) => this.#prove(file));
    this.#say = say;
    this.#unproved = new Set(unprovedSegments(folder));
  }

  hear(request: Exclude<FeedRequest, { kind: 'stop' }>): void {
    const { reader } = request;
    try {
      if (request.kind === 'open') this.#open(reader, request.after);
      else if (request.kind === 'read') this.#read(reader, request.through);
      else this.#close(reader);
    } catch (error) {
      this.#say({ kind: 'failed', reader, reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()));
  }

  #open(number: number, after: number): void {
    const log = this.#openLog();
    let reader: FeedReader | FeedGone | undefined;
    try {
      reader = FeedReader.open(log, after);
    } finally {
      if (!(reader instanceof FeedReader)) void log.close();
    }
    if (reader instanceof FeedReader) {
      this.#readers.set(number, reader);
      this.#say({ kind: 'opened', reader: number });
    } else {
      this.#say({ kind: 'gone', reader: number, oldest: reader.oldest });
    }
  }

  #read(number: number, through: number): void {
    const chunk = this.#readers.get(number)?.read(through);
    if (chunk === undefined) throw new Error(`there is no reader ${number}`);
    this.#say({ kind: 'lines', reader: number, ...chunk }, [chunk.bytes.buffer]);
  }

  #close(number: number): void {
    void this.#readers.get(number)?.close();
    this.#readers.delete(number);
  }

  #prove(file: string): void {
    if (!this.#unproved.has(file)) return;
    checkSegment(file);
    this.#unproved.delete(file);
  }
}

const port = parentPort;
if (port === null) throw new Error('feed-thread is a worker thread');
giveWay();
const thread = new FeedThread(workerData as FeedThreadData, (answer, transfer = []) =>
  port.postMessage(answer, transfer),
);
port.on('message', (request: FeedRequest) => {
  if (request.kind === 'stop') void thread.stop().then(() => port.close());
  else thread.hear(request);
});
