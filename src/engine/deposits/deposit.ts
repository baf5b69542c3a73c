/** A deposit that a customer announces, and the transfer of a chain that pays it (COMMERCE.md §8). */

/** An amount that is waited for at one of the shop's addresses. */
export interface Deposit {
  readonly depositId: number;
  readonly accountId: number;
  /** Such as `trc20`. */
  readonly network: string;
  readonly address: string;
  /** The amount that the customer asked for, and the one to pay, which no other open deposit of the address has. */
  readonly amountMicros: number;
  readonly payMicros: number;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** The transfer that paid it; absent while none has. */
  reference?: string;
}

export type DepositState = 'waiting' | 'credited' | 'expired';

export function depositState({ reference, expiresAtMs }: Readonly<Deposit>, nowMs: number): DepositState {
  if (reference !== undefined) return 'credited';
  return nowMs < expiresAtMs ? 'waiting' : 'expired';
}

/** A transfer to one of the shop's addresses, as a watcher of the chain saw it. */
export interface Transfer {
  /** `network:txId:logIndex`: each is credited once. */
  readonly reference: string;
  readonly network: string;
  readonly address: string;
  /** More than 0. */
  readonly amountMicros: number;
  /** The time by the chain, Unix milliseconds. */
  readonly paidAtMs: number;
}

/** A transfer that no deposit waited for. */
export interface UnclaimedTransfer extends Transfer {
  /** The position of the fact that tells of it. */
  readonly position: number;
  /** Unix milliseconds. */
  readonly seenAtMs: number;
}

/** How long an expired deposit still takes its transfer. */
export const LATE_MS = 24 * 60 * 60_000;
/** How long a deposit that has ended is still shown. */
export const SHOWN_MS = 7 * LATE_MS;
/** The most that an amount grows, in micro-USDT, so that no other open deposit of the address has it. */
export const MAX_ADDED_MICROS = 9_999;
