/** Settings of deposits: where customers pay, and when a payment counts. */
import { duration, list, type OptionKind, wholeNumber } from './option-kind.ts';
import { option } from './option-spec.ts';

/** An address of the shop at a chain. */
export interface DepositAddress {
  /** Such as `trc20`. */
  readonly network: string;
  readonly address: string;
}

export interface DepositSettings {
  readonly depositAddresses: readonly DepositAddress[];
  /** How long a deposit waits for its transfer. */
  readonly depositWindowMs: number;
  /** Confirmations from which a transfer is credited. */
  readonly depositConfirmations: number;
  /** The longest that nothing may be heard of a watcher; 0: never told. */
  readonly depositSilenceMs: number;
}

const depositAddress: OptionKind<DepositAddress> = {
  placeholder: 'NETWORK=ADDRESS',
  expected: 'a network and an address there, such as trc20=TXYZ',
  parse: (text) => {
    const [, network, address] = /^([a-z0-9]{1,16})=([A-Za-z0-9]{1,128})$/.exec(text) ?? [];
    return network === undefined || address === undefined ? undefined : Object.freeze({ network, address });
  },
};

export const DEPOSIT_OPTIONS = {
  depositAddresses: option(
    'deposit-address',
    list(depositAddress, 64),
    'none',
    'addresses that customers pay USDT to, by network, such as trc20=T…; a watcher reports what comes there',
  ),
  depositWindowMs: option(
    'deposit-window',
    duration('1m', '7d'),
    '1h',
    'how long a deposit waits for its transfer; a day longer it is still found',
  ),
  depositConfirmations: option(
    'deposit-confirmations',
    wholeNumber(0, 100_000),
    '20',
    'confirmations from which a transfer is credited',
  ),
  depositSilenceMs: option(
    'deposit-silence',
    duration('0s', '365d'),
    '6h',
    'alert when no watcher of deposits is heard of for longer; 0s: never',
  ),
} as const;
