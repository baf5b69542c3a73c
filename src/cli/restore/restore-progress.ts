/**
 * A restore's messages while it works, on standard error: how far it is, at a terminal only; and what it waits for. At
 * a terminal both share one line.
 */
import type { RestoreProgress } from '../../restore/folder-making.ts';
import { startProgress } from '../terminal/progress-bar.ts';
import { printLines, type Terminal } from '../terminal/terminal.ts';

const FORMAT = '{step} {bar} {percentage}%';
const STEPS: Readonly<Record<RestoreProgress['step'], string>> = {
  fetch: 'fetching',
  fold: 'making the checkpoint',
  later: 'reading later facts',
  webhooks: 'making webhook events',
  verify: 'verifying',
};

export class RestoreProgressLine {
  readonly #terminal: Terminal;
  #bar: Awaited<ReturnType<typeof startProgress>>;
  #step = STEPS.fetch;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Draws the bar, where anybody sees it. */
  async start(): Promise<void> {
    this.#bar = await startProgress(this.#terminal, 1, FORMAT, { step: this.#step });
  }

  show({ step, done, total }: RestoreProgress): void {
    this.#step = STEPS[step];
    this.#bar?.setTotal(total);
    this.#bar?.update(done, { step: this.#step });
  }

  /** `line`: what is waited for; undefined when it has come. */
  wait(line: string | undefined): void {
    if (this.#bar !== undefined) this.#bar.update({ step: line ?? this.#step });
    else if (line !== undefined) printLines(this.#terminal.stderr, [line]);
  }

  /** Again it does nothing. */
  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
