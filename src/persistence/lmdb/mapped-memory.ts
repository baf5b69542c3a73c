/**
 * How much the process has of files in memory: its programs, and the pages of all mapped files that were touched
 * and that the system has not taken back.
 */
import { ProcFile } from '../proc-file.ts';

export class MappedMemory {
  readonly #status: ProcFile;

  private constructor(status: ProcFile) {
    this.#status = status;
  }

  /** Linux only; elsewhere nothing is known. */
  static open(): MappedMemory {
    return new MappedMemory(ProcFile.open('/proc/self/status'));
  }

  /** In bytes; 0 where nothing is known. */
  read(): number {
    const kibibytes = /^RssFile:\s+(\d+) kB$/m.exec(this.#status.read())?.[1];
    return Number(kibibytes ?? 0) * 1_024;
  }

  close(): void {
    this.#status.close();
  }
}
