/**
 * Events that came up a moment ago, in memory until their first attempt. While deliveries keep pace nearly all are
 * attempted at once, and none of these needs to be read back from the disk.
 *
 * Invariant: a lane's fresh events are the next of it to be attempted, in their order. So one is kept only while
 * nothing of its lane is left to be read; the others are read when they are next. They are few, for each lane and in
 * all, because events that wait for long wait on disk.
 */
import type { OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { Lane } from './lane.ts';

/** The most events of all lanes: some 2 MB. */
const MOST = 8_192;
/** The most events of a lane, for each attempt that it may have under way. */
const MOST_PER_PLACE = 4;

export class FreshEvents {
  #size = 0;

  /** Keeps an event that came up, or has it read when it is next. Events of a lane come in their order. */
  add(lane: Lane, event: OutboxEvent): void {
    const hasRoom =
      this.#size < MOST && lane.fresh.length < MOST_PER_PLACE * lane.subscriber.webhookConcurrency;
    // What fails is mostly attempted again first; and thousands of dead endpoints would take all the room.
    if (hasRoom && !lane.isFailing && lane.readThrough < lane.next) {
      lane.fresh.push(event);
      this.#size += 1;
    } else {
      lane.readThrough = event.number;
    }
  }

  /** The lane's next event, if it needn't be read. */
  take(lane: Lane): OutboxEvent | undefined {
    const event = lane.fresh.shift();
    if (event !== undefined) this.#size -= 1;
    return event;
  }

  /** The lane's webhook is deleted. */
  drop(lane: Lane): void {
    this.#size -= lane.fresh.length;
    lane.fresh = [];
  }
}
