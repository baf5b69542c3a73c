/** The node's measurements of itself, for its metrics, beside the counts that its parts keep of their own work. */
import { DiskSpace } from './disk-space.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { LastHour } from './last-hour.ts';
import { RefusalCounter } from './refusal-counter.ts';
import { ListenerMeters } from './request-meter.ts';
import { SalesCounter } from './sales-counter.ts';

export class Measurements {
  readonly sales = new SalesCounter();
  readonly refusals = new RefusalCounter();
  readonly buyers = new ListenerMeters('buyer');
  readonly operators = new ListenerMeters('operator');
  readonly eventLoopDelay = new EventLoopDelay();
  /** Space on the disk of the data folder, read with the alerts (`disk-watch.ts`). */
  readonly disk: DiskSpace;
  readonly lastHour: LastHour;

  /** `purchasePath`: where buyers purchase, by POST. */
  constructor(folder: string, purchasePath: string) {
    this.disk = new DiskSpace(folder);
    this.lastHour = new LastHour({
      sales: this.sales,
      refusals: this.refusals,
      purchases: this.buyers.of('POST', purchasePath),
      clock: Date.now,
      monotonicMs: () => performance.now(),
    });
  }

  start(): void {
    this.lastHour.start();
    this.eventLoopDelay.start();
  }

  stop(): void {
    this.eventLoopDelay.stop();
    this.lastHour.stop();
  }
}
