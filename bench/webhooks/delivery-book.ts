/**
 * Purchases and receipts, held against each other: the outside's own account of every delivery.
 *
 * A receiver has the number of its account. Each of these must hold: every acknowledged order of an account whose
 * receiver answers was received there at least once, nothing was received that was not bought, and each account's first
 * attempts came in the order of its orders.
 */
import { readAnswers } from '../load/answer-log.ts';
import type { Violations } from '../shop/violations.ts';
import type { CheckedReceipt } from './receiver-messages.ts';

interface Delivery {
  readonly account: number;
  readonly createdAtMs: number;
  /** The first time; undefined as long as it wasn't. */
  receivedAtMs: number | undefined;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export class DeliveryBook {
  readonly #violations: Violations;
  readonly #deliveries = new Map<number, Delivery>();
  /** By receiver: the order of the last first attempt. */
  readonly #lastFirsts: number[] = [];
  /** When each receipt came, repeats too. */
  readonly #receivedAtMs: number[] = [];
  /** Accounts with several deliveries under way, which start in order and may arrive in any. */
  readonly unordered = new Set<number>();
  repeats = 0;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  get size(): number {
    return this.#deliveries.size;
  }

  /** Enters the purchases of a window. How many of them go to receivers from `firstHealthy` on. */
  bought(answers: readonly (readonly Buffer[])[], firstHealthy: number): number {
    let expected = 0;
    for (const record of answers.flat().flatMap((chunk) => [...readAnswers(chunk)])) {
      if (record.status !== 201) continue;
      const { orderId, createdAt } = JSON.parse(record.body.toString()) as Record<string, number>;
      if (orderId === undefined || createdAt === undefined) continue;
      const { account } = record;
      this.#deliveries.set(orderId, { account, createdAtMs: createdAt, receivedAtMs: undefined });
      if (account >= firstHealthy) expected += 1;
    }
    return expected;
  }

  received(receipts: readonly CheckedReceipt[]): void {
    for (const receipt of receipts) {
      const { receiver, orderId, attempt, receivedAtMs, fault } = receipt;
      const delivery = this.#deliveries.get(orderId);
      const about = `the delivery of order ${orderId} to receiver ${receiver}`;
      if (fault !== undefined) this.#violations.add(`${about}: ${fault}`);
      else if (delivery === undefined) this.#violations.add(`${about}: it was not bought`);
      else if (delivery.account !== receiver) this.#violations.add(`${about}: not its own receiver`);
      if (fault !== undefined || delivery === undefined) continue;
      this.#receivedAtMs.push(receivedAtMs);
      if (delivery.receivedAtMs !== undefined) this.repeats += 1;
      delivery.receivedAtMs ??= receivedAtMs;
      if (attempt !== 1 || this.unordered.has(receiver)) continue;
      if (orderId < (this.#lastFirsts[receiver] ?? 0)) this.#violations.add(`${about}: out of order`);
      this.#lastFirsts[receiver] = orderId;
    }
  }

  /** Orders of accounts from `firstHealthy` on that were not received. */
  missing(firstHealthy: number): number {
    let missing = 0;
    for (const { account, receivedAtMs } of this.#deliveries.values()) {
      if (account >= firstHealthy && receivedAtMs === undefined) missing += 1;
    }
    return missing;
  }

  /** Receipts within a time, per second. */
  deliveriesPerSecond({ fromMs, toMs }: Span): number {
    const count = this.#receivedAtMs.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
    return (count * 1_000) / (toMs - fromMs);
  }

  /** From the order's `createdAt` to its first receipt, of orders made within a time; ascending. */
  delaysMs({ fromMs, toMs }: Span, firstHealthy: number): number[] {
    const delays: number[] = [];
    for (const { account, createdAtMs, receivedAtMs } of this.#deliveries.values()) {
      if (account < firstHealthy || receivedAtMs === undefined) continue;
      if (createdAtMs >= fromMs && createdAtMs < toMs) delays.push(receivedAtMs - createdAtMs);
    }
    return delays.sort((one, other) => one - other);
  }

  get lastReceiptMs(): number {
    return this.#receivedAtMs.reduce((latest, atMs) => Math.max(latest, atMs), 0);
  }
}

/** A percentile of ascending values; NaN of none. */
export function percentile(ascending: readonly number[], percent: number): number {
  return ascending[Math.max(0, Math.ceil((ascending.length * percent) / 100) - 1)] ?? Number.NaN;
}
