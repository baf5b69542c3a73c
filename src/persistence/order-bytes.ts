/**
 * A byte for each order, by its number; 0 until it is set. In pages, because the numbers of orders skip over millions
 * after a restore, and a page is there only once one of its orders is.
 */
const ORDERS_PER_PAGE = 65_536;

export class OrderBytes {
  readonly #pages = new Map<number, Uint8Array>();

  get(orderId: number): number {
    return this.#pages.get(Math.floor(orderId / ORDERS_PER_PAGE))?.[orderId % ORDERS_PER_PAGE] ?? 0;
  }

  set(orderId: number, byte: number): void {
    const number = Math.floor(orderId / ORDERS_PER_PAGE);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = new Uint8Array(ORDERS_PER_PAGE);
      this.#pages.set(number, page);
    }
    page[orderId % ORDERS_PER_PAGE] = byte;
  }

  /** Orders whose byte isn't 0. */
  *entries(): IterableIterator<[orderId: number, byte: number]> {
    for (const [number, page] of this.#pages) {
      for (const [place, byte] of page.entries()) {
        if (byte !== 0) yield [number * ORDERS_PER_PAGE + place, byte];
      }
    }
  }
}
