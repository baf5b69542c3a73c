/**
 * Events that came up a moment ago, in memory until their first attempt. While deliveries keep pace nearly all are
 * attempted at once, and none of these needs to be read back from the disk.
 *
 * Invariant: a queue's fresh events are the next of it to be attempted, in their order. So one is kept only while
 * nothing of its queue is left to be read; the others are read when they are next. They are few, for each queue and in
 * all, because events that wait for long wait on disk.
 */
import type { OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { DeliveryQueue } from './delivery-queue.ts';

/** The most events of all queues: some 2 MB. */
const MOST = 8_192;
/** The most events of a queue, for each attempt that it may have under way. */
const MOST_PER_PLACE = 4;

export class FreshEvents {
  #size = 0;

  /** Keeps an event that came up, or has it read when it is next. Events of a queue come in their order. */
  add(queue: DeliveryQueue, event: OutboxEvent): void {
    const hasRoom =
      this.#size < MOST && queue.fresh.length < MOST_PER_PLACE * queue.subscriber.webhookConcurrency;
    // What fails is mostly attempted again first; and thousands of dead endpoints would take all the room.
    if (hasRoom && !queue.isFailing && queue.readThrough < queue.next) {
      queue.fresh.push(event);
      this.#size += 1;
    } else {
      queue.readThrough = event.number;
    }
  }

  /** The queue's next event, if it needn't be read. */
  take(queue: DeliveryQueue): OutboxEvent | undefined {
    const event = queue.fresh.shift();
    if (event !== undefined) this.#size -= 1;
    return event;
  }

  /** The queue's webhook is deleted. */
  drop(queue: DeliveryQueue): void {
    this.#size -= queue.fresh.length;
    queue.fresh = [];
  }
}
