/**
 * The intakes that are under way, as the thread sees them: requests in, answers out. Without a thread of its
 * own, so that tests can call it.
 *
 * An intake's own trouble (a bad line, a full disk, a damaged row) ends that intake and is answered. Anything
 * else is thrown: it is a fault of the program or leaves unknown what the file is like, and ends the thread.
 */
import type { StockFile } from './stock-file.ts';
import { type IntakeStart, IntakeWriter } from './stock-intake-writer.ts';
import { itemBytes, LineSplitter } from './stock-lines.ts';
import type { IntakeAnswer, IntakeRequest } from './stock-messages.ts';
import { sentFailure } from './write-failure.ts';

class DeskIntake {
  readonly #writer: IntakeWriter;
  readonly #lines: LineSplitter;
  #items = 0;

  constructor(file: StockFile, start: IntakeStart, batchItems: number | undefined) {
    const writer = new IntakeWriter(file, start, batchItems);
    this.#writer = writer;
    this.#lines = new LineSplitter((text) => writer.add(text));
  }

  handle(request: Exclude<IntakeRequest, { kind: 'begin' | 'abort' }>): IntakeAnswer {
    switch (request.kind) {
      case 'text': {
        const { buffer, byteOffset, byteLength } = request.bytes;
        this.#lines.push(Buffer.from(buffer, byteOffset, byteLength));
        return { kind: 'taken' };
      }
      case 'items':
        for (const item of request.items) {
          this.#items += 1;
          this.#writer.add(itemBytes(item, this.#items));
        }
        return { kind: 'taken' };
      case 'finish':
        this.#lines.end();
        return { kind: 'finished', result: this.#writer.finish() };
    }
  }
}

export class IntakeDesk {
  readonly #file: StockFile;
  readonly #batchItems: number | undefined;
  readonly #intakes = new Map<number, DeskIntake>();

  constructor(file: StockFile, batchItems?: number) {
    this.#file = file;
    this.#batchItems = batchItems;
  }

  handle(intakeId: number, request: IntakeRequest): IntakeAnswer | undefined {
    try {
      const answer = this.#handle(intakeId, request);
      if (answer?.kind === 'finished') this.#intakes.delete(intakeId);
      return answer;
    } catch (error) {
      this.#intakes.delete(intakeId);
      return { kind: 'failed', error: sentFailure(this.#file, error) };
    }
  }

  #handle(intakeId: number, request: IntakeRequest): IntakeAnswer | undefined {
    if (request.kind === 'begin') {
      this.#intakes.set(intakeId, new DeskIntake(this.#file, request.start, this.#batchItems));
      return undefined;
    }
    if (request.kind === 'abort') {
      this.#intakes.delete(intakeId);
      return undefined;
    }
    return this.#intakes.get(intakeId)?.handle(request);
  }
}
