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
  /** Of the data folder. */
  readonly disk = new DiskSpace();

  start(folder: string): void {
    this.eventLoopDelay.start();
    this.disk.start(folder);
  }

  stop(): void {
    this.eventLoopDelay.stop();
    this.disk.stop();
  }
}
