/**
 * The intakes that are under way, as the thread sees them: requests in, answers out. Without a thread of its
 * own, so that tests can call it.
 *
 * An intake's own trouble (a bad line, a full disk, a damaged row) ends that intake and is answered. Anything
 * else is thrown: it is a fault of the program or leaves unknown what the file is like, and ends the thread.
 */
import type { UploadUnderWay } from '../delivered/order-texts-writer.ts';
import type { IntakeAnswer, IntakeRequest } from '../stock-messages.ts';
import type { StockTexts } from '../stock-texts.ts';
import { sentFailure } from '../write-failure.ts';
import { type IntakeStart, IntakeWriter } from './stock-intake-writer.ts';
import { itemBytes, LineSplitter } from './stock-lines.ts';

class DeskIntake {
  readonly productId: number;
  readonly writer: IntakeWriter;
  readonly #lines: LineSplitter;
  #items = 0;

  constructor(texts: StockTexts, start: IntakeStart, batchItems: number | undefined) {
    const writer = new IntakeWriter(texts, start, batchItems);
    this.productId = start.stock.productId;
    this.writer = writer;
    this.#lines = new LineSplitter((text) => writer.add(text));
  }

  handle(request: Exclude<IntakeRequest, { kind: 'begin' | 'close' }>): IntakeAnswer {
    switch (request.kind) {
      case 'text': {
        const { buffer, byteOffset, byteLength } = request.bytes;
        this.#lines.push(Buffer.from(buffer, byteOffset, byteLength));
        return { kind: 'taken' };
      }
      case 'items':
        for (const item of request.items) {
          this.#items += 1;
          this.writer.add(itemBytes(item, this.#items));
        }
        return { kind: 'taken' };
      case 'finish':
        this.#lines.end();
        return { kind: 'finished', result: this.writer.finish() };
    }
  }
}

export class StockIntakes {
  readonly #texts: StockTexts;
  readonly #batchItems: number | undefined;
  readonly #intakes = new Map<number, DeskIntake>();

  constructor(texts: StockTexts, batchItems?: number) {
    this.#texts = texts;
    this.#batchItems = batchItems;
  }

  /** The one of this product: from its beginning until it is known whether its items are on sale. */
  uploadOf(productId: number): UploadUnderWay | undefined {
    for (const intake of this.#intakes.values()) if (intake.productId === productId) return intake.writer;
    return undefined;
  }

  handle(intakeId: number, request: IntakeRequest): IntakeAnswer | undefined {
    try {
      return this.#handle(intakeId, request);
    } catch (error) {
      this.#intakes.delete(intakeId);
      return { kind: 'failed', error: sentFailure(this.#texts.file, error) };
    }
  }

  #handle(intakeId: number, request: IntakeRequest): IntakeAnswer | undefined {
    if (request.kind === 'begin') {
      this.#intakes.set(intakeId, new DeskIntake(this.#texts, request.start, this.#batchItems));
      return undefined;
    }
    if (request.kind === 'close') {
      this.#intakes.delete(intakeId);
      return undefined;
    }
    return this.#intakes.get(intakeId)?.handle(request);
  }
}
