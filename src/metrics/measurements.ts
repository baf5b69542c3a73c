/** What the node measures of itself, for its metrics, beside what its parts count of their own work. */
import { DiskSpace } from './disk-space.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { ListenerMeters } from './request-meter.ts';
import { SalesCounter } from './sales-counter.ts';

export class Measurements {
  readonly sales = new SalesCounter();
  readonly buyers = new ListenerMeters('buyer');
  readonly operators = new ListenerMeters('operator');
  readonly eventLoopDelay = new EventLoopDelay();
  /** Of the data folder. It is looked at with the alerts (`disk-watch.ts`). */
  readonly disk: DiskSpace;

  constructor(folder: string) {
    this.disk = new DiskSpace(folder);
  }

  start(): void {
    this.eventLoopDelay.start();
  }

  stop(): void {
    this.eventLoopDelay.stop();
  }
}
