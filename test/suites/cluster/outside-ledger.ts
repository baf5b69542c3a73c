/**
 * What was acknowledged, line by line in a file of a process of its own. A line counts when it is synced there: so
 * nothing that is hurt in a test, the test itself included, can take an acknowledgement back.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, 'ledger-process.js');

export class OutsideLedger {
  readonly #child: ChildProcess;
  readonly #file: string;
  /** In the order in which they were sent, as they are answered. */
  readonly #waiting: (() => void)[] = [];

  constructor(file: string) {
    this.#file = file;
    this.#child = fork(PROGRAM, [file], { execArgv: [] });
    this.#child.on('message', (count: number) => {
      for (const resolve of this.#waiting.splice(0, count)) resolve();
    });
  }

  /** `line` is one line. Resolves when it is on disk. */
  async enter(line: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#child.send(line);
    });
  }

  /** As the file has them. */
  get lines(): string[] {
    return readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
  }

  async close(): Promise<void> {
    const closed = once(this.#child, 'exit');
    this.#child.disconnect();
    await closed;
  }
}
