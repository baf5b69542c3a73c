/**
 * The newest lines of the feed, as they come: followed over breaks and restarts of the node, from the last one that came.
 *
 * What always holds: at most `MOST_ROWS` lines are kept, and at most so many are read into facts each quarter of a second,
 * whatever the node sends: the rest is counted as passed over. Who is far behind, after a pause, begins near the newest
 * line again instead of reading all of it.
 */
import { signal } from '@preact/signals';
import { ApiFailure, NodeAway } from '../api/api-failure.ts';
import { UNATTENDED } from '../api/attention.ts';
import { answered, call } from '../api/operator-api.ts';
import { askNow } from '../shell/pulse.ts';
import { type Fact, factOf } from './fact.ts';

export const MOST_ROWS = 500;
const DRAW_MS = 250;
/** The node sends an empty line every 15 s. */
const SILENCE_MS = 45_000;
const AGAIN_MS = 1_000;
/** How far before the newest line it begins, and how far behind it may be before it skips: where all are told, and where few. */
const ALL = { back: 100, behind: 5_000 };
const SOME = { back: 20_000, behind: 200_000 };

interface Place {
  readonly seq: number;
  /** Undefined where it isn't known: then the node can't tell that it was restored. */
  readonly epoch: number | undefined;
}

export class FeedRows {
  /** The newest first. */
  readonly rows = signal<readonly Fact[]>([]);
  readonly passedOver = signal(0);
  readonly isLive = signal(false);
  readonly failure = signal<unknown>(undefined);
  readonly #types: string;
  readonly #reach: typeof ALL;
  #last: Place | undefined;
  /** Lines that have come and are not drawn yet. */
  #pending: string[] = [];
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #following: AbortController | undefined;

  /** `types`, separated by commas; empty for all. */
  constructor(types: string) {
    this.#types = types;
    this.#reach = types === '' ? ALL : SOME;
  }

  /** Resolves when it follows for the first time, or can't. */
  start(): Promise<void> {
    this.#following?.abort();
    const mine = new AbortController();
    this.#following = mine;
    return new Promise((resolve) => void this.#follow(mine.signal, resolve));
  }

  /** What is there stays. */
  stop(): void {
    this.#following?.abort();
    this.isLive.value = false;
    this.#draw();
  }

  async #follow(stopped: AbortSignal, onOpen: () => void): Promise<void> {
    while (!stopped.aborted) {
      try {
        await this.#readOnce(stopped, onOpen);
      } catch (error) {
        if (stopped.aborted) break;
        if (error instanceof NodeAway) void askNow();
        else if (!this.#takePlaceOf(error)) this.failure.value = error;
      }
      this.isLive.value = false;
      onOpen();
      await pause(AGAIN_MS, stopped);
    }
    onOpen();
  }

  async #readOnce(stopped: AbortSignal, onOpen: () => void): Promise<void> {
    const { seq, epoch } = await this.#placeToBegin(stopped);
    if (stopped.aborted) return;
    const silence = new AbortController();
    const end = () => silence.abort();
    stopped.addEventListener('abort', end);
    let timer = setTimeout(end, SILENCE_MS);
    try {
      const query = { after: seq, epoch, types: this.#types };
      const { body } = await answered('GET /feed', { query, headers: UNATTENDED, signal: silence.signal });
      this.failure.value = undefined;
      this.isLive.value = true;
      onOpen();
      const decoder = new TextDecoder();
      let rest = '';
      const reader = body?.getReader();
      for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
        clearTimeout(timer);
        timer = setTimeout(end, SILENCE_MS);
        const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        if (!stopped.aborted) this.#take(lines.filter((line) => line !== ''));
      }
    } catch (error) {
      // The connection broke, or nothing came for long: it is begun again.
      if (error instanceof ApiFailure || error instanceof NodeAway) throw error;
    } finally {
      clearTimeout(timer);
      stopped.removeEventListener('abort', end);
    }
  }

  async #placeToBegin(signal: AbortSignal): Promise<Place> {
    const { journalPosition } = await call('GET /status', { signal });
    const { back, behind } = this.#reach;
    const last = this.#last;
    if (last !== undefined && last.seq <= journalPosition && journalPosition - last.seq <= behind)
      return last;
    const near = { seq: Math.max(0, journalPosition - back), epoch: undefined };
    if (last !== undefined && last.seq < near.seq) this.passedOver.value += near.seq - last.seq;
    this.#last = near;
    return near;
  }

  /** Whether the refusal says where to go on. */
  #takePlaceOf(error: unknown): boolean {
    if (!(error instanceof ApiFailure)) return false;
    const { forkAfter, epoch, oldestAfter } = error.fields;
    if (error.code === 'OTHER_EPOCH' && typeof forkAfter === 'number' && typeof epoch === 'number') {
      // Later lines are of a history that the restored node does not have.
      this.rows.value = this.rows.value.filter(({ seq }) => seq <= forkAfter);
      this.#last = { seq: forkAfter, epoch };
      return true;
    }
    if (error.code !== 'FACTS_GONE' || typeof oldestAfter !== 'number') return false;
    this.#last = { seq: oldestAfter, epoch: undefined };
    return true;
  }

  #take(lines: readonly string[]): void {
    const last = /^\{"seq":(\d+),"at":\d+,"epoch":(\d+)/.exec(lines.at(-1) ?? '');
    if (last === null) return;
    this.#last = { seq: Number(last[1]), epoch: Number(last[2]) };
    this.#pending.push(...lines.slice(-MOST_ROWS));
    const tooMany = this.#pending.length - MOST_ROWS;
    if (tooMany > 0) this.#pending.splice(0, tooMany);
    this.passedOver.value += Math.max(0, tooMany) + Math.max(0, lines.length - MOST_ROWS);
    this.#drawing ??= setTimeout(() => this.#draw(), DRAW_MS);
  }

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    if (this.#pending.length === 0) return;
    const facts = this.#pending.map(factOf).filter((fact) => fact !== undefined);
    this.#pending = [];
    this.rows.value = [...facts.reverse(), ...this.rows.value].slice(0, MOST_ROWS);
  }
}

/** Ends early when it is stopped. */
function pause(lengthMs: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // A node that is away for hours is asked thousands of times.
      stopped.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, lengthMs);
    stopped.addEventListener('abort', end);
  });
}
