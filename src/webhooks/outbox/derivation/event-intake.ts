/**
 * Reads the journal into a batch: what derivation must remember, as rows; and the events that came up, as rows, or to
 * be written as they are when the batch is closed.
 */
import type { FactVisitor } from '../../../persistence/journal/journal-frame.ts';
import type { JournalReader } from '../../../persistence/journal/journal-reader.ts';
import { isOutOfDescriptors } from '../../../persistence/lmdb/lmdb-environment.ts';
import { firstNumberAt, type OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import { OutboxBatch } from '../../../persistence/webhooks/outbox-file.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { DeliveryQueue } from '../scheduling/delivery-queue.ts';
import type { FreshEvents } from '../scheduling/fresh-events.ts';
import type { DerivationSink } from './derivation-sink.ts';
import { EventDerivation } from './event-derivation.ts';
import type { OpenEventGroup } from './open-event-group.ts';

export interface EventIntakeOptions {
  readonly store: OutboxStore;
  readonly journal: Pick<JournalReader, 'head' | 'visit'>;
  readonly queues: Map<number, DeliveryQueue>;
  readonly fresh: FreshEvents;
  /** The queue has cancelled what it had so far. */
  readonly onCancelled: (queue: DeliveryQueue) => void;
}

/** The result of one reading. */
export interface Intake {
  readonly events: number;
  /** Events of the reading that are not in the batch yet. */
  readonly unwritten: readonly OutboxEvent[];
  /** The highest number that came up, by queue. */
  readonly lastNumbers: ReadonlyMap<DeliveryQueue, number>;
}

export const EMPTY_INTAKE: Intake = { events: 0, unwritten: [], lastNumbers: new Map() };

/** Bounds a pass's memory and time, when there is much to catch up with; the events of one frame come up together. */
const WRITES_PER_PASS = 10_000;
/** Facts that a pass reads when nobody subscribes, and they give nothing to write. */
export const IDLE_FACTS_PER_PASS = 50_000;

export class EventIntake {
  readonly #options: EventIntakeOptions;
  readonly #derivation: EventDerivation;
  readonly #facts: FactVisitor;
  /** The batch of the reading under way. */
  #batch = new OutboxBatch();
  #nowMs = 0;
  #events = 0;
  #unwritten: OutboxEvent[] = [];
  #lastNumbers = new Map<DeliveryQueue, number>();
  #isGroupChanged = false;

  constructor(options: EventIntakeOptions) {
    const { store } = options;
    this.#options = options;
    this.#derivation = new EventDerivation({
      sink: this.#sink(),
      subscribers: store.subscribers(),
      looks: store.looks(),
      pricing: store.pricing(),
      group: store.group(),
    });
    this.#facts = visitorOf(this.#derivation);
  }

  /** Whether anybody has a webhook. */
  get hasWebhooks(): boolean {
    return this.#derivation.webhooks > 0;
  }

  get group(): OpenEventGroup {
    return this.#derivation.group;
  }

  /** Reads on, up to `through`, at most so many facts while somebody has a webhook. `nowMs` is the schedule's. */
  read(batch: OutboxBatch, through: number, mostFacts: number, nowMs: number): Intake {
    const { store, journal } = this.#options;
    this.#batch = batch;
    this.#nowMs = nowMs;
    this.#events = 0;
    this.#unwritten = [];
    this.#lastNumbers = new Map();
    this.#isGroupChanged = false;
    const most = this.hasWebhooks ? mostFacts : IDLE_FACTS_PER_PASS;
    const last = journal.head.position + most;
    for (const position of untilStarved(journal.visit(through, this.#facts))) {
      if (position >= last || batch.size + this.#unwritten.length >= WRITES_PER_PASS) break;
    }
    if (this.#isGroupChanged) store.putEventGroup(batch, this.#derivation.group.row);
    return { events: this.#events, unwritten: this.#unwritten, lastNumbers: this.#lastNumbers };
  }

  #sink(): DerivationSink {
    const { store, queues, fresh, onCancelled } = this.#options;
    return {
      emit: (accountId, number, content, createdAtMs) => {
        const counts = { attempts: 0, loggedAttempts: 0, firstAttempt: undefined };
        const times = { createdAtMs, dueAtMs: this.#nowMs };
        const event = { accountId, number, status: 'pending', content, ...counts, ...times } as const;
        this.#events += 1;
        const queue = queues.get(accountId);
        if (queue === undefined)
          throw new Error(`an event came up for account ${accountId}, which has no webhook`);
        this.#lastNumbers.set(queue, number);
        // One group is an event for every subscriber; the others are as many as a pass reads facts.
        if ('listNumber' in content) {
          store.putEvent(this.#batch, event);
          queue.readThrough = number;
        } else {
          this.#unwritten.push(event);
          fresh.add(queue, event);
        }
      },
      list: (name, productIds, references) => store.putList(this.#batch, name, productIds, references),
      subscriber: (accountId, subscriber) => {
        store.putSubscriber(this.#batch, accountId, subscriber);
        const queue = queues.get(accountId);
        if (queue !== undefined) queue.subscriber = subscriber;
        else queues.set(accountId, new DeliveryQueue(accountId, subscriber, undefined, 0));
      },
      cancel: (accountId, position) => {
        const queue = queues.get(accountId);
        if (queue === undefined) return;
        queue.cancel(firstNumberAt(position, this.#derivation.group.epoch));
        fresh.drop(queue);
        store.putQueue(this.#batch, accountId, queue.rowAfter(new Set()));
        onCancelled(queue);
      },
      look: (productId, text) => store.putLook(this.#batch, productId, text),
      pricing: (row) => store.putPricing(this.#batch, row),
      groupChanged: () => {
        this.#isGroupChanged = true;
      },
    };
  }
}

/** Purchases give no events while nobody subscribes, and that is most of what such a node's journal holds. */
function visitorOf(derivation: EventDerivation): FactVisitor {
  return {
    fact: (fact, sequence) => {
      try {
        derivation.add(fact, sequence);
      } catch (cause) {
        // Never to be taken for a journal that can't be read now: the facts behind this one would be passed over.
        throw new Error(`it is not known what events come of fact ${sequence}`, { cause });
      }
    },
    get skipsPurchases() {
      return derivation.webhooks === 0;
    },
  };
}

/** A segment that can't be opened for want of file descriptors is read in a later pass. */
function* untilStarved(positions: Iterable<number>): IterableIterator<number> {
  try {
    yield* positions;
  } catch (error) {
    if (!isOutOfDescriptors(error)) throw error;
  }
}
