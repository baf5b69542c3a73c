/** The parent's end of the late supplier: starts it, asks what it has sold, ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Aside, putAside } from '../measure/aside.ts';
import type { FromLateSupplier, SupplierReport, ToLateSupplier } from './late-supplier.ts';

const replyTimeoutMs = 10_000;

export class LateSupplierProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Resolves when it listens. */
  static async start(answerMs: number, firstSerial: number, aside: Aside): Promise<LateSupplierProcess> {
    const program = fileURLToPath(
      new URL(`./late-supplier${import.meta.filename.slice(-3)}`, import.meta.url),
    );
    const child = fork(program);
    putAside(child, aside);
    const answer = await ask(child, { kind: 'serve', answerMs, firstSerial });
    if (answer.kind !== 'serving') throw new Error(`a supplier said "${answer.kind}" out of turn`);
    return new LateSupplierProcess(child, answer.url);
  }

  async report(): Promise<SupplierReport> {
    const answer = await ask(this.#child, { kind: 'report' });
    if (answer.kind !== 'report') throw new Error(`a supplier said "${answer.kind}" out of turn`);
    return answer;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** One question at a time. */
function ask(child: ChildProcess, question: ToLateSupplier): Promise<FromLateSupplier> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      child.off('message', heard).off('exit', ended).off('error', failed);
      end();
    };
    const heard = (message: unknown): void => settle(() => resolve(message as FromLateSupplier));
    const ended = (): void => settle(() => reject(new Error('the supplier has ended')));
    const failed = (error: Error): void => settle(() => reject(error));
    const timer = setTimeout(
      () => settle(() => reject(new Error('the supplier does not answer'))),
      replyTimeoutMs,
    );
    child.once('message', heard).once('exit', ended).once('error', failed);
    child.send(question);
  });
}
