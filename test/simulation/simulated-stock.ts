/**
 * The texts of items and orders as the stock store keeps them, on a disk in memory whose writes last until they are
 * told to end. What is written beyond a product's end is nobody's, and is written over.
 */
import type { WithdrawnRange } from '../../src/engine/stock.ts';
import { StockIntake } from '../../src/persistence/stock/stock-intake.ts';
import type { IntakeResult } from '../../src/persistence/stock/stock-intake-writer.ts';
import type { IntakeOptions, StockStore } from '../../src/persistence/stock/stock-store.ts';
import { IntakeTurns } from '../../src/persistence/stock/stock-turns.ts';

/** What outlives a crash. */
export class TextDisk {
  readonly #items = new Map<number, string[]>();
  readonly #orders = new Map<number, readonly string[]>();

  itemsOf(productId: number): readonly string[] {
    return this.#items.get(productId) ?? [];
  }

  textsOf(orderId: number): readonly string[] {
    return this.#orders.get(orderId) ?? [];
  }

  writeTexts(orderId: number, texts: readonly string[]): void {
    this.#orders.set(orderId, [...texts]);
  }

  writeItems(
    productId: number,
    end: number,
    withdrawn: readonly WithdrawnRange[],
    lines: readonly string[],
  ): IntakeResult {
    const items = this.itemsOf(productId).slice(0, end);
    const isWithdrawn = (item: number) =>
      withdrawn.some(({ firstItem, count }) => item >= firstItem && item < firstItem + count);
    const known = new Set(items.filter((_, item) => !isWithdrawn(item)));
    let added = 0;
    for (const line of lines) {
      if (known.has(line)) continue;
      known.add(line);
      items.push(line);
      added += 1;
    }
    this.#items.set(productId, items);
    return { firstItem: end, added, duplicates: lines.length - added };
  }
}

interface Write {
  readonly perform: () => void;
  readonly tell: () => void;
}

export class SimulatedStock {
  readonly #disk: TextDisk;
  readonly #turns = new IntakeTurns();
  readonly #writes: Write[] = [];

  constructor(disk: TextDisk) {
    this.#disk = disk;
  }

  get isWriting(): boolean {
    return this.#writes.length > 0;
  }

  /** It has what the code under test calls. */
  asStore(): StockStore {
    return this as unknown as StockStore;
  }

  async beginIntake({ productId, readState }: IntakeOptions): Promise<StockIntake> {
    const leave = await this.#turns.take(productId);
    const { end, withdrawn } = readState();
    const lines: string[] = [];
    const intake = new StockIntake({
      leave,
      send: (request) => {
        if (request.kind === 'items') {
          lines.push(...request.items);
          queueMicrotask(() => intake.hear({ kind: 'taken' }));
        } else if (request.kind === 'finish') {
          let result: IntakeResult = { firstItem: end, added: 0, duplicates: 0 };
          this.#writes.push({
            perform: () => {
              result = this.#disk.writeItems(productId, end, withdrawn, lines);
            },
            tell: () => intake.hear({ kind: 'finished', result }),
          });
        }
      },
    });
    return intake;
  }

  writeOrderTexts(orderId: number, texts: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      this.#writes.push({ perform: () => this.#disk.writeTexts(orderId, texts), tell: resolve });
    });
  }

  /** Ends the oldest write under way, if there is one. */
  land(): void {
    const write = this.#writes.shift();
    write?.perform();
    write?.tell();
  }

  /** The first `written` of the writes under way are on disk. */
  crash(written: number): void {
    for (const { perform } of this.#writes.splice(0).slice(0, written)) perform();
  }
}
