/**
 * The feed as the main thread sees it: readers that follow the journal, each at its own pace.
 *
 * What always holds: a reader is given only what is durable, and asks for more only when it has taken the last, so
 * one that is slow costs a chunk of memory and nothing else; there are at most `MAX_READERS`. A purchase pays for one
 * assignment and one comparison a group. The thread is started with the first reader; should it die, its readers'
 * connections break and come back to a new one: a bot must not be able to stop the shop.
 */
import { Worker } from 'node:worker_threads';
import { type FeedAnswers, FeedFollower } from './feed-follower.ts';
import type { FeedAnswer, FeedRequest, FeedThreadData } from './feed-messages.ts';

export const MAX_READERS = 32;
/** The thread makes short-lived objects only; by default they would take three times the room. */
const YOUNG_GENERATION_MB = 16;

export interface FactFeedOptions {
  readonly folder: string;
  /** How far the journal is durable. */
  readonly position: number;
  /** How often a reader hears that it is still connected while nothing happens; default 15 s. */
  readonly heartbeatMs?: number;
}

export type FeedOpening =
  | { readonly kind: 'open'; readonly body: FeedFollower }
  /** The journal doesn't reach that far: `position` is its last fact. */
  | { readonly kind: 'ahead'; readonly position: number }
  /** The facts are not in the folder any more; a reader can go on after `oldest`, if there is such a place. */
  | { readonly kind: 'gone'; readonly oldest: number | undefined }
  | { readonly kind: 'full' }
  | { readonly kind: 'stopping' };

export class FactFeed {
  readonly #options: FactFeedOptions;
  readonly #followers = new Map<number, FeedFollower>();
  /** Those under way, by their reader. */
  readonly #requests = new Map<number, FeedAnswers>();
  /** Readers that have a place, those that are being opened too. */
  #readers = 0;
  #position: number;
  #lastReader = 0;
  #worker: Worker | undefined;
  #isStopping = false;

  constructor(options: FactFeedOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** The journal is durable up to here, where a group ends. Cheap: call it for every group. */
  advance(position: number): void {
    this.#position = position;
    if (this.#followers.size === 0) return;
    for (const follower of this.#followers.values()) follower.advance(position);
  }

  /** A reader of the facts after `after`. Rejects when the journal can't be read there. */
  async open(after: number): Promise<FeedOpening> {
    if (this.#isStopping) return { kind: 'stopping' };
    if (after > this.#position) return { kind: 'ahead', position: this.#position };
    if (this.#readers >= MAX_READERS) return { kind: 'full' };
    this.#readers += 1;
    let isOpen = false;
    try {
      this.#lastReader += 1;
      const reader = this.#lastReader;
      const answer = await this.#ask({ kind: 'open', reader, after });
      if (answer.kind === 'gone') return { kind: 'gone', oldest: answer.oldest };
      isOpen = true;
      return { kind: 'open', body: this.#follow(reader, after) };
    } finally {
      if (!isOpen) this.#readers -= 1;
    }
  }

  /** Readers get what they are just being given, and then an orderly end. */
  end(): void {
    this.#isStopping = true;
    for (const follower of this.#followers.values()) follower.abandon();
  }

  /** `end`, and ends the thread. */
  async stop(): Promise<void> {
    this.end();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    this.#post({ kind: 'stop' });
    await exited;
  }

  #follow(reader: number, after: number): FeedFollower {
    const follower = new FeedFollower({
      after,
      position: this.#position,
      heartbeatMs: this.#options.heartbeatMs,
      read: (through) => this.#ask({ kind: 'read', reader, through }),
      onClose: () => {
        this.#followers.delete(reader);
        this.#readers -= 1;
        this.#post({ kind: 'close', reader });
      },
    });
    this.#followers.set(reader, follower);
    if (this.#isStopping) follower.abandon();
    return follower;
  }

  #ask(request: Extract<FeedRequest, { kind: 'open' | 'read' }>): Promise<FeedAnswer> {
    this.#worker ??= this.#startThread();
    return new Promise((resolve, reject) => {
      this.#requests.set(request.reader, { resolve, reject });
      this.#post(request);
    });
  }

  #startThread(): Worker {
    const workerData: FeedThreadData = { folder: this.#options.folder };
    const worker = new Worker(new URL('./feed-thread.js', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    let cause: unknown;
    worker.on('message', (answer: FeedAnswer) => this.#hear(answer));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#failAll(new Error('the thread of the feed has ended', { cause }));
    });
    return worker;
  }

  #hear(answer: FeedAnswer): void {
    const request = this.#requests.get(answer.reader);
    this.#requests.delete(answer.reader);
    if (answer.kind === 'failed') request?.reject(new Error(`the feed can't go on: ${answer.reason}`));
    else request?.resolve(answer);
  }

  /** Readers of the thread that has ended are unknown to the next one: each fails, now or when it asks. */
  #failAll(error: Error): void {
    for (const follower of this.#followers.values()) follower.fail(error);
    for (const { reject } of this.#requests.values()) reject(error);
    this.#requests.clear();
  }

  #post(request: FeedRequest): void {
    this.#worker?.postMessage(request);
  }
}
