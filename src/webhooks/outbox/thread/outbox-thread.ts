/**
 * The thread that runs the outbox. A thread, because deriving, writing and reading back cost about as much as
 * deciding does; it reads the journal itself, so nothing but positions comes from the main thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DamagedDataError } from '../../../persistence/codec/byte-reader.ts';
import { isWantOfRoom } from '../../../persistence/disk/disk-room.ts';
import { JournalReader } from '../../../persistence/journal/journal-reader.ts';
import { openLogReader } from '../../../persistence/journal/open-log.ts';
import { giveWay } from '../../../persistence/lmdb/background-thread.ts';
import { WriteGate } from '../../../persistence/lmdb/write-gate.ts';
import { eventTypeOf, type OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { DeliveryPool } from '../../delivery/delivery-pool.ts';
import { WebhookChanges } from '../../webhook-changes.ts';
import { eventIdOf, requestIdOf } from '../derivation/event-body.ts';
import { Outbox } from './outbox.ts';
import type { OutboxAnswer, OutboxRequest, OutboxThreadData } from './outbox-messages.ts';
import { OutboxRounds } from './outbox-rounds.ts';
import { ProcessorWait, RoundPace } from './round-pace.ts';

/** A round writes about as much at most. */
const ROOM_BYTES = 8 * 1024 * 1024;
const DRAIN_LOOK_MS = 20;
const TOLD_EVENTS = 10;
class OutboxThread {
  readonly #say: (answer: OutboxAnswer) => void;
  readonly #store: OutboxStore;
  readonly #journal: JournalReader;
  readonly #pool: DeliveryPool;
  readonly #outbox: Outbox;
  readonly #rounds: OutboxRounds;
  readonly #processorWait = new ProcessorWait();

  constructor(data: OutboxThreadData, say: (answer: OutboxAnswer) => void) {
    this.#say = say;
    const gate = new WriteGate(data.gate);
    this.#store = OutboxStore.open(data.folder, gate);
    this.#journal = new JournalReader(openLogReader(data.folder), this.#store.meta().head);
    this.#pool = new DeliveryPool({ ...data.worker, changes: data.changes });
    const monotonicMs = () => performance.now();
    const pace = new RoundPace({ nowMs: monotonicMs, waitedMs: () => this.#processorWait.read() });
    this.#outbox = new Outbox({
      store: this.#store,
      journal: this.#journal,
      clocks: { wallMs: Date.now, monotonicMs },
      changes: WebhookChanges.of(data.changes),
      windowMs: data.windowMs,
      retryWaitsMs: data.retryWaitsMs,
      historyMs: data.historyMs,
      places: data.worker.places,
      pace,
      send: this.#pool.send,
      onWork: () => this.#rounds.attemptEnded(),
      closeGroup: (unlessBeyond) => say({ kind: 'closeGroup', unlessBeyond }),
      onDiscarded: (events) => this.#tellDiscarded(events),
    });
    this.#rounds = new OutboxRounds({
      outbox: this.#outbox,
      pace,
      nowMs: monotonicMs,
      isWantOfRoom: (error) => isWantOfRoom(error, data.folder, ROOM_BYTES),
      say,
      onRoundEnd: () => {
        if (this.#outbox.hasWebhooks) this.#pool.prepare();
      },
    });
  }

  start(): void {
    this.#journal.checkHead('webhooks.mdb goes');
    this.#say({ kind: 'ready' });
    this.#rounds.start();
  }

  hear(request: OutboxRequest): void {
    switch (request.kind) {
      case 'durable':
        this.#rounds.durable(request.position, request.mainThreadWorks);
        break;
      case 'changed':
        this.#rounds.changed(request.position);
        break;
      case 'replay':
        this.#replay(request);
        break;
      case 'test': {
        const { id, task } = request;
        void this.#pool.send(task).then((result) => this.#say({ kind: 'tested', id, result }));
        break;
      }
      case 'stop':
        void this.#stop(request.drainMs);
        break;
    }
  }

  #replay({ id, accountId, numbers }: Extract<OutboxRequest, { kind: 'replay' }>): void {
    try {
      const count = numbers.filter((number) => this.#outbox.replay(accountId, number)).length;
      this.#rounds.sayWhenWritten({ kind: 'replayed', id, count });
    } catch (error) {
      if (!(error instanceof DamagedDataError)) throw error;
      this.#say({ kind: 'failed', id, message: error.message });
    }
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
    this.#rounds.end();
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
