/** Looks at an outbox: what it sent and when, how events stand, and a receiver that answers when it is told to. */
import type { DeliveryResult } from '../../../src/webhooks/delivery/delivery-result.ts';
import type { OutboxScene } from './outbox-scene.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** When the five attempts are made: at once, then after 1 min, 5 min, 30 min and 6 h. */
export const SCHEDULE_MS = [0, 1, 6, 36, 396].map((minutes) => minutes * MINUTE_MS);

/** Attempts that stay under way until they are told how they end. */
export class Hanging {
  readonly #ends: ((result: DeliveryResult) => void)[] = [];

  readonly receiver = (): Promise<DeliveryResult> => new Promise((resolve) => this.#ends.push(resolve));

  get underWay(): number {
    return this.#ends.length;
  }

  endFirst(result: DeliveryResult): void {
    this.#ends.shift()?.(result);
  }

  endLast(result: DeliveryResult): void {
    this.#ends.pop()?.(result);
  }
}

export function ordersSent(scene: OutboxScene): number[] {
  return scene.sent.map(({ data }) => Number(data.orderId));
}

export function sentAtMs(scene: OutboxScene): number[] {
  return scene.sent.map(({ atMs }) => atMs);
}

/** Statuses of account 1's events, the newest first. */
export async function statuses(scene: OutboxScene): Promise<string[]> {
  return (await scene.history(1)).map(({ status }) => status);
}

/** The statuses with the number of attempts. */
export async function outcomes(scene: OutboxScene): Promise<string[]> {
  return (await scene.history(1)).map(({ status, attempts }) => `${status} ${attempts.length}`);
}
