/**
 * The thread that runs the outbox. A thread, because deriving, writing and reading back cost about as much as
 * deciding does; it reads the journal itself, so nothing but positions comes from the main thread.
 *
 * How far turns are apart is the pace's to say (`turn-pace.ts`).
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isWantOfRoom } from '../persistence/folder/disk-room.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import { giveWay } from '../persistence/lmdb/background-thread.ts';
import { WriteGate } from '../persistence/lmdb/write-gate.ts';
import { eventTypeOf, type OutboxEvent } from '../persistence/webhooks/event-row.ts';
import { OutboxStore } from '../persistence/webhooks/outbox-store.ts';
import { ChangeBoard } from './change-board.ts';
import { DeliveryPool } from './delivery-pool.ts';
import { eventIdOf, requestIdOf } from './event-body.ts';
import { Outbox } from './outbox.ts';
import type { OutboxAnswer, OutboxRequest, OutboxThreadData } from './outbox-messages.ts';
import { ProcessorWait } from './processor-wait.ts';
import { TurnPace } from './turn-pace.ts';

const RETRY_WRITE_MS = 1_000;
const LONGEST_TIMER_MS = 60_000;
/** A turn writes about as much at most. */
const ROOM_BYTES = 8 * 1024 * 1024;
const DRAIN_LOOK_MS = 20;
/** They take as many results as can be left when the node stops. */
const LAST_TURNS = 4;
/** Figures may be so old while attempts go on. */
const REPORT_MS = 250;
const TOLD_EVENTS = 10;

class OutboxThread {
  readonly #data: OutboxThreadData;
  readonly #say: (answer: OutboxAnswer) => void;
  readonly #store: OutboxStore;
  readonly #journal: JournalReader;
  readonly #pool: DeliveryPool;
  readonly #outbox: Outbox;
  readonly #processorWait = ProcessorWait.open();
  readonly #pace: TurnPace;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #lastTurnMs = 0;
  #isDelayed = false;
  /** Answers that wait for the next turn. */
  #replays: OutboxAnswer[] = [];
  #isDispatchDue = false;
  #mustReport = false;
  #lastReportMs = 0;

  constructor(data: OutboxThreadData, say: (answer: OutboxAnswer) => void) {
    this.#data = data;
    this.#say = say;
    const gate = new WriteGate(data.gate);
    this.#store = gate.pass(() => OutboxStore.open(data.folder, gate));
    this.#journal = new JournalReader(data.folder, this.#store.meta().head);
    this.#pool = new DeliveryPool({ ...data.worker, changes: data.changes });
    const monotonicMs = () => performance.now();
    this.#pace = new TurnPace({ nowMs: monotonicMs, waitedMs: () => this.#processorWait.read() });
    this.#outbox = new Outbox({
      store: this.#store,
      journal: this.#journal,
      clocks: { wallMs: Date.now, monotonicMs },
      changes: ChangeBoard.of(data.changes),
      windowMs: data.windowMs,
      retryWaitsMs: data.retryWaitsMs,
      historyMs: data.historyMs,
      places: data.worker.places,
      mayBegin: () => this.#pace.mayBegin,
      send: (task) => {
        this.#pace.begun();
        return this.#pool.send(task);
      },
      onWork: () => this.#attemptEnded(),
      onDiscarded: (events) => this.#tellDiscarded(events),
    });
  }

  start(): void {
    this.#journal.checkHead('webhooks.mdb goes');
    this.#say({ kind: 'ready' });
    this.#turn();
  }

  hear(request: OutboxRequest): void {
    if (request.kind === 'stop') {
      void this.#stop(request.drainMs);
      return;
    }
    if (request.kind === 'changed') {
      this.#outbox.catchUp(request.position);
      this.#plan();
      return;
    }
    if (request.kind === 'replay') {
      const { id, accountId, numbers } = request;
      const taken = numbers.filter((number) => this.#outbox.replay(accountId, number)).length;
      this.#replays.push({ kind: 'replayed', id, taken });
      this.#plan();
      return;
    }
    if (request.kind === 'test') {
      const { id, task } = request;
      void this.#pool.send(task).then((result) => this.#say({ kind: 'tested', id, result }));
      return;
    }
    this.#pace.mainThreadWorks(request.mainThreadWorks);
    this.#outbox.advance(request.position);
    this.#mustReport = true;
    // A change of a webhook may have had it read already: then no turn is due, and nobody would be told of more.
    if (this.#outbox.position >= request.position) this.#report();
    this.#plan();
  }

  /** Its lane is free at once; what became of it is written with the next turn. */
  #attemptEnded(): void {
    if (this.#isDispatchDue) return;
    this.#isDispatchDue = true;
    setImmediate(() => {
      this.#isDispatchDue = false;
      this.#outbox.dispatch();
      this.#plan();
    });
  }

  #turn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    this.#pace.turn();
    const isWritten = this.#outbox.turn((error) => isWantOfRoom(error, this.#data.folder, ROOM_BYTES));
    this.#lastTurnMs = performance.now();
    if (!isWritten && !this.#isDelayed) this.#say({ kind: 'delayed' });
    this.#isDelayed = !isWritten;
    if (!this.#outbox.hasReplays) for (const answer of this.#replays.splice(0)) this.#say(answer);
    this.#report();
    this.#plan();
  }

  #plan(): void {
    const nowMs = performance.now();
    const soonestMs = this.#lastTurnMs + (this.#isDelayed ? RETRY_WRITE_MS : this.#pace.spacingMs);
    const isWaited = this.#replays.length > 0 || !this.#pace.mayBegin;
    const waitMs = isWaited ? 0 : (this.#outbox.nextTurnInMs ?? LONGEST_TIMER_MS);
    const atMs = Math.max(nowMs + Math.min(waitMs, LONGEST_TIMER_MS), soonestMs);
    if (atMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    this.#timer = setTimeout(() => this.#turn(), Math.ceil(atMs - nowMs));
  }

  #report(): void {
    const nowMs = performance.now();
    if (!this.#mustReport && nowMs - this.#lastReportMs < REPORT_MS) return;
    this.#mustReport = false;
    this.#lastReportMs = nowMs;
    const { position, underWay, counters, figures } = this.#outbox;
    this.#say({ kind: 'report', report: { position, underWay, figures, ...counters } });
  }

  #tellDiscarded(events: readonly OutboxEvent[]): void {
    const told = events.slice(0, TOLD_EVENTS).map((event) => ({
      requestId: requestIdOf(event, event.loggedAttempts),
      accountId: event.accountId,
      eventId: eventIdOf(event),
      type: eventTypeOf(event.number),
    }));
    this.#say({ kind: 'discarded', count: events.length, events: told });
  }

  async #stop(drainMs: number): Promise<void> {
    this.#outbox.stop();
    const endMs = performance.now() + drainMs;
    while (this.#outbox.underWay > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS));
    }
    for (let left = LAST_TURNS; left > 0; left -= 1) {
      this.#mustReport = true;
      this.#turn();
      if (this.#outbox.nextTurnInMs !== 0) break;
    }
    clearTimeout(this.#timer);
    await this.#pool.close();
    await this.#journal.close();
    await this.#store.close();
    this.#processorWait.close();
    this.#say({ kind: 'stopped' });
  }
}

const port = parentPort;
if (port === null) throw new Error('outbox-thread is a worker thread');
giveWay();
const thread = new OutboxThread(workerData as OutboxThreadData, (answer) => port.postMessage(answer));
port.on('message', (request: OutboxRequest) => thread.hear(request));
thread.start();
