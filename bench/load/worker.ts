/** The program of a load process: takes one plan after the other from its parent and reports each window. */
import { LoadWindow } from './load-window.ts';
import type { FromLoadProcess, ToLoadProcess } from './messages.ts';

class Worker {
  #window: LoadWindow | undefined;

  async obey(message: ToLoadProcess): Promise<void> {
    if (message.kind === 'stop') process.disconnect();
    else if (message.kind === 'enough') this.#window?.enough();
    else if (message.kind === 'prepare') await this.#prepare(message);
    else await this.#go();
  }

  abandon(): void {
    this.#window?.close();
    this.#window = undefined;
  }

  async #prepare({ plan }: Extract<ToLoadProcess, { kind: 'prepare' }>): Promise<void> {
    this.abandon();
    this.#window = new LoadWindow(plan, {
      onMeasuring: () => void tell({ kind: 'measuring' }),
      onMeasured: () => void tell({ kind: 'measured' }),
    });
    await this.#window.connect();
    await tell({ kind: 'prepared' });
  }

  async #go(): Promise<void> {
    const window = this.#window;
    if (window === undefined) throw new Error('there is no plan to carry out');
    const result = await window.run();
    for (const chunk of window.answers.chunks()) await tell({ kind: 'answers', chunk });
    this.abandon();
    await tell({ kind: 'finished', result });
  }
}

/** Resolves when the channel has taken the message: at most one chunk of answers waits in it. */
function tell(message: FromLoadProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('a load process is started by the benchmark'));
    process.send(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

const worker = new Worker();
process.on('message', (message) => {
  worker.obey(message as ToLoadProcess).catch((error: unknown) => {
    worker.abandon();
    return tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
});
process.on('disconnect', () => process.exit(0));
