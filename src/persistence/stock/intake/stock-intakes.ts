/**
 * The intakes that are under way, as the thread sees them. Without a thread of its own, so that tests can call it.
 *
 * An intake's own trouble (a bad line, a full disk, a damaged row) ends that intake: what else comes for it is ignored.
 * Anything else that is thrown is a fault of the program or leaves unknown what the file is like, and ends the thread.
 */

import type { UploadUnderWay } from '../shop-shelves.ts';
import { StockError } from '../stock-errors.ts';
import type { StockTexts } from '../stock-texts.ts';
import { tryToWrite } from '../write-failure.ts';
import { LineNumbers, SortedLines } from './line-numbers.ts';
import { type IntakeResult, type IntakeStart, IntakeWriter } from './stock-intake-writer.ts';
import { itemBytes, LineSplitter } from './stock-lines.ts';
import { TableItems } from './table-items.ts';
import { linesOf } from './upload-report.ts';

interface Intake {
  readonly productId: number;
  readonly writer: IntakeWriter;
  readonly lines: LineSplitter | TableItems;
  readonly isDry: boolean;
  /** Where lines that are no items are passed over: those that were. */
  readonly bad: BadLines | undefined;
  items: number;
}

/** Bytes of lines or of a table, cut anywhere; or whole items. */
export type Parcel = Uint8Array | readonly string[];

/** Lines that can't be items, and why. */
class BadLines {
  readonly #lines = new LineNumbers();
  readonly #reasons = new SortedLines<string>();

  add({ lineNumber, what }: StockError): void {
    this.#lines.add(lineNumber);
    this.#reasons.add(what, lineNumber);
  }

  get told() {
    return { bad: this.#lines, badFor: linesOf(this.#reasons) };
  }
}

export class StockIntakes {
  readonly #texts: StockTexts;
  readonly #batchItems: number | undefined;
  readonly #intakes = new Map<number, Intake>();

  constructor(texts: StockTexts, batchItems?: number) {
    this.#texts = texts;
    this.#batchItems = batchItems;
    texts.shelves.uploadOf = (productId) => this.#uploadOf(productId);
  }

  /** The one of this product: from its beginning until it is known whether its items are on sale. A dry run's never are. */
  #uploadOf(productId: number): UploadUnderWay | undefined {
    for (const { productId: of, isDry, writer } of this.#intakes.values()) {
      if (of === productId && !isDry) return writer;
    }
    return undefined;
  }

  begin(intakeId: number, start: IntakeStart): void {
    this.#attempt(intakeId, () => {
      const writer = new IntakeWriter(this.#texts, start, this.#batchItems);
      const { isDry = false, leavesOutBadLines = false, table } = start;
      const bad = isDry || leavesOutBadLines ? new BadLines() : undefined;
      const take = (text: Buffer, number: number) => writer.add(text, number);
      const onBad = bad && ((error: StockError) => bad.add(error));
      const lines = table === undefined ? new LineSplitter(take, onBad) : new TableItems(take, table, onBad);
      this.#intakes.set(intakeId, { productId: start.stock.productId, isDry, writer, lines, bad, items: 0 });
    });
  }

  add(intakeId: number, parcel: Parcel): void {
    const intake = this.#intakes.get(intakeId);
    if (intake === undefined) return;
    this.#attempt(intakeId, () => {
      if (parcel instanceof Uint8Array) {
        intake.lines.push(Buffer.from(parcel.buffer, parcel.byteOffset, parcel.byteLength));
        return;
      }
      for (const item of parcel) {
        intake.items += 1;
        addItem(intake, item);
      }
    });
  }

  /** Undefined when it has failed before. */
  finish(intakeId: number): IntakeResult | undefined {
    const intake = this.#intakes.get(intakeId);
    if (intake === undefined) return undefined;
    return this.#attempt(intakeId, () => {
      intake.lines.end();
      return intake.writer.finish(intake.bad?.told);
    });
  }

  /** Ends an intake whose items are on sale, or never will be. */
  close(intakeId: number): void {
    this.#intakes.delete(intakeId);
  }

  #attempt<Result>(intakeId: number, work: () => Result): Result {
    try {
      return tryToWrite(this.#texts.file, work);
    } catch (error) {
      this.#intakes.delete(intakeId);
      throw error;
    }
  }
}

function addItem({ writer, bad, items }: Intake, item: string): void {
  try {
    writer.add(itemBytes(item, items), items);
  } catch (error) {
    if (bad === undefined || !StockError.is(error, 'bad-item')) throw error;
    bad.add(error);
  }
}
