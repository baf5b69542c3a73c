/**
 * Reads the journal into a batch: what derivation must remember, as rows; and the events that came up, as rows, or to
 * be written as they are when the batch is closed.
 */
import type { FactVisitor } from '../../../persistence/journal/journal-frame.ts';
import type { JournalReader } from '../../../persistence/journal/journal-reader.ts';
import { isOutOfDescriptors } from '../../../persistence/lmdb/lmdb-environment.ts';
import { firstNumberAt, isGroup, type OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import { GroupWriter } from '../../../persistence/webhooks/groups/group-writer.ts';
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
  /** Whether groups have closed. */
  readonly hasGroups: boolean;
}

export const EMPTY_INTAKE: Intake = { events: 0, unwritten: [], lastNumbers: new Map(), hasGroups: false };

/** Bounds a pass's memory and time, when there is much to catch up with; the events of one frame come up together. */
const WRITES_PER_PASS = 10_000;
/** Facts that a pass reads when nobody subscribes: they give little to write. */
export const IDLE_FACTS_PER_PASS = 50_000;

export class EventIntake {
  readonly #options: EventIntakeOptions;
  readonly #derivation: EventDerivation;
  readonly #facts: FactVisitor;
  readonly #groups: GroupWriter;
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
    this.#groups = new GroupWriter(store);
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
    const { journal } = this.#options;
    this.#batch = batch;
    this.#nowMs = nowMs;
    this.#events = 0;
    this.#unwritten = [];
    this.#lastNumbers = new Map();
    const most = this.hasWebhooks ? mostFacts : IDLE_FACTS_PER_PASS;
    const last = journal.head.position + most;
    for (const position of untilStarved(journal.visit(through, this.#facts))) {
      if (position >= last || batch.size + this.#unwritten.length + this.#groups.size >= WRITES_PER_PASS)
        break;
    }
    const hasGroups = this.#groups.size > 0;
    this.#groups.put(batch);
    const [events, unwritten, lastNumbers] = [this.#events, this.#unwritten, this.#lastNumbers];
    return { events, unwritten, lastNumbers, hasGroups };
  }

  /** Puts the open group, as the cursor's position leaves it. */
  putOpenGroup(batch: OutboxBatch): void {
    if (this.#isGroupChanged) this.#options.store.putEventGroup(batch, this.#derivation.group.row);
    this.#isGroupChanged = false;
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
        if (isGroup(number)) {
          store.putEvent(this.#batch, event);
          queue.readThrough = number;
        } else {
          this.#unwritten.push(event);
          fresh.add(queue, event);
        }
      },
      group: (stream, entry) => this.#groups.add(stream, entry),
      pricingBefore: (row, atMs) => this.#groups.putBefore(this.#batch, row, atMs),
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

/** Purchases that give their accounts no events change the stock alone, and that is most of what a journal holds. */
function visitorOf(derivation: EventDerivation): FactVisitor {
  return {
    fact: (fact, sequence) => {
      try {
        derivation.add(fact, sequence);
      } catch (cause) {
        throw unknownEvents(sequence, cause);
      }
    },
    purchases: {
      wants: (accountId) => derivation.wantsPurchases(accountId),
      passed: (productId, sequence, atMs) => {
        try {
          derivation.addPurchase(productId, sequence, atMs);
        } catch (cause) {
          throw unknownEvents(sequence, cause);
        }
      },
    },
  };
}

/** Never to be taken for a journal that can't be read now: the facts behind this one would be passed over. */
function unknownEvents(sequence: number, cause: unknown): Error {
  return new Error(`it is not known what events come of fact ${sequence}`, { cause });
}

/** A segment that can't be opened for want of file descriptors is read in a later pass. */
function* untilStarved(positions: Iterable<number>): IterableIterator<number> {
  try {
    yield* positions;
  } catch (error) {
    if (!isOutOfDescriptors(error)) throw error;
  }
}
