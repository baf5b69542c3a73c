/**
 * Deposits that need somebody: transfers that no deposit waited for, and a watcher that nothing is heard of. Since a start
 * the watcher has its whole time to say something.
 */
import { MAX_UNCLAIMED_TRANSFERS } from '../engine/limits.ts';
import type { State } from '../engine/state.ts';
import type { Watcher } from './alert-watch.ts';
import type { StandingAlerts } from './standing-alerts.ts';

export interface DepositWatchOptions {
  readonly standing: StandingAlerts;
  readonly engine: { readonly state: Pick<State, 'transfers'> };
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** When a watcher was heard of last, by that clock; undefined where the node has no addresses. */
  readonly heardMs: () => number | undefined;
  /** `--deposit-silence`; 0: never told. */
  readonly silenceMs: number;
}

export class DepositWatch implements Watcher {
  readonly #options: DepositWatchOptions;

  constructor(options: DepositWatchOptions) {
    this.#options = options;
  }

  look(): void {
    this.#lookForUnclaimed();
    this.#lookForSilence();
  }

  #lookForUnclaimed(): void {
    const { standing, engine } = this.#options;
    const { size: transfers } = engine.state.transfers;
    const [oldest] = engine.state.transfers.values();
    const oldestReference = oldest?.reference ?? null;
    const message =
      transfers === 0
        ? 'Each transfer was assigned.'
        : `${transfers === 1 ? '1 transfer' : `${transfers} transfers`} came that no deposit waited for: see purser deposits list --state unclaimed.`;
    const say = () => ({ message: message + full, fields: { transfers, oldestReference } });
    const full =
      transfers < MAX_UNCLAIMED_TRANSFERS
        ? ''
        : ' No more are listed: each larger one takes the place of the smallest.';
    if (transfers > 0) standing.begin('DEPOSIT_UNCLAIMED', 0, say);
    else standing.end('DEPOSIT_UNCLAIMED', 0, say);
  }

  #lookForSilence(): void {
    const { standing, monotonicMs, heardMs, silenceMs } = this.#options;
    const heard = heardMs();
    const silentMs = heard === undefined ? 0 : Math.round(monotonicMs() - heard);
    const isSilent = silenceMs > 0 && silentMs > silenceMs;
    const message = isSilent
      ? 'Nothing is heard of a watcher of deposits: customers pay, and nobody is credited. Look after purser deposits watch.'
      : 'A watcher of deposits is heard of.';
    const say = () => ({ message, fields: { silentMs } });
    if (isSilent) standing.begin('DEPOSITS_SILENT', 0, say);
    else standing.end('DEPOSITS_SILENT', 0, say);
  }
}
