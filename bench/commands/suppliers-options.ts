/** The command line of the suppliers benchmark, checked once. */
import { BadFlagError, wholeNumber, wholeNumbers } from './contention-options.ts';

export interface SuppliersOptions {
  /** Supplier purchases in flight; each count is compared with none. */
  readonly inFlight: readonly number[];
  /** Own-stock purchases a second; each rate is measured on its own. */
  readonly rates: readonly number[];
  readonly rounds: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  /** How long the supplier takes. */
  readonly answerMs: number;
  /** From when the last of them has been sent and the first answered: a steady flow. */
  readonly settleMs: number;
  /** All supplier purchases begin, and so end, in the same moment; otherwise they are spread evenly. */
  readonly together: boolean;
  readonly transport: 'uws' | 'node';
  readonly seed: number;
  /** The number of accounts that buy from own stock; by default as many as `World` makes. */
  readonly customers?: number;
  /** The number of accounts that a supplier delivers to. */
  readonly suppliedAccounts: number;
}

/** As they come from the command line. */
export interface SuppliersFlags {
  readonly inFlight?: string;
  readonly rate?: string;
  readonly seconds?: string;
  readonly rounds?: string;
  readonly together?: boolean;
  readonly transport?: string;
  readonly seed?: string;
}

const mostInFlight = 16_384;
const mostPerSecond = 100_000;

/** Throws `BadFlagError` with a sentence for the user. */
export function suppliersOptions(flags: SuppliersFlags): SuppliersOptions {
  const { transport = 'uws' } = flags;
  if (transport !== 'uws' && transport !== 'node') throw new BadFlagError('--transport is uws or node');
  return {
    inFlight: wholeNumbers('--in-flight', flags.inFlight ?? '2000,5000', mostInFlight),
    rates: wholeNumbers('--rate', flags.rate ?? '2000,8000', mostPerSecond),
    rounds: wholeNumber('--rounds', flags.rounds ?? '3', 1, 100),
    warmupMs: 1_000,
    measureMs: wholeNumber('--seconds', flags.seconds ?? '5', 1, 60) * 1000,
    answerMs: 5_000,
    settleMs: 1_000,
    together: flags.together === true,
    transport,
    seed: wholeNumber('--seed', flags.seed ?? '1', 0, 2 ** 31 - 1),
    suppliedAccounts: 500,
  };
}
