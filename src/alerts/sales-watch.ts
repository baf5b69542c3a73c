/** Sales that are closed after a restore: told at once, and over when an operator has opened them. */
import type { State } from '../engine/state.ts';
import type { Watcher } from './alert-watch.ts';
import { NODE, type StandingAlerts } from './standing-alerts.ts';

export const SALES_CLOSED_LINE =
  'Sales are closed: the shop was restored from a backup, and purchases are answered 503 SALES_CLOSED. purser restore status says what is left to do, purser restore open opens them.';

export interface SalesWatchOptions {
  readonly standing: StandingAlerts;
  readonly engine: { readonly state: Pick<State, 'gap'> };
}

export class SalesWatch implements Watcher {
  readonly #options: SalesWatchOptions;

  constructor(options: SalesWatchOptions) {
    this.#options = options;
  }

  look(): void {
    const { standing, engine } = this.#options;
    const { gap } = engine.state;
    const fields = { gap: gap && { from: gap.fromMs, to: gap.toMs } };
    if (gap === null) standing.end('SALES_CLOSED', NODE, () => ({ message: 'Sales are open.', fields }));
    else standing.begin('SALES_CLOSED', NODE, () => ({ message: SALES_CLOSED_LINE, fields }));
  }
}
