/**
 * The list of orders as CSV (RFC 4180), newest first, of any length, with one chunk of it in memory.
 *
 * Lines come from page after page of the list (`order-list.ts`), so they cost what its pages cost, in slices. An order is told
 * as it is when its line is written; orders that are made meanwhile are left out.
 *
 * Invariant: a line leaves when all that it tells is durable. The columns never change their order; new ones come last.
 * Amounts are exact decimals. Times say how far their clocks are ahead of UTC, and each line names the zone.
 * Texts: `csv-text.ts`.
 */
import { refundedMicros } from '../../../engine/adjustments.ts';
import { usdtText } from '../../../engine/money.ts';
import type { Order } from '../../../engine/orders.ts';
import { NO_REQUEST, requestIdOf } from '../../../engine/request-number.ts';
import { Slices } from '../../../shared/slices.ts';
import type { ReplyBody } from '../../transport/reply-stream.ts';
import { type CsvForm, csvHead, csvLine, textCell } from '../csv-text.ts';
import type { OrderFilter } from './order-filter.ts';
import { pageOfOrders } from './order-list.ts';
import type { OrderSources } from './order-numbers.ts';

export const ORDER_COLUMNS = [
  ...[
    'orderId',
    'createdAt',
    'accountId',
    'productId',
    'quantity',
    'status',
    'totalPriceUsdt',
    'refundedUsdt',
  ],
  ...['balanceAfterUsdt', 'priceRule', 'priceListId', 'recipientUsername', 'idempotencyKey', 'requestId'],
  'timeZone',
];
/** Some 40 KB. */
const ORDERS_A_CHUNK = 256;
const IDLE_TIMEOUT_MS = 60_000;

interface Sources extends OrderSources {
  readonly engine: OrderSources['engine'] & {
    readonly whenDurable: (callback: (durable: boolean) => void) => void;
  };
}

export class OrderCsv implements ReplyBody {
  readonly lengthBytes = undefined;
  readonly idleTimeoutMs = IDLE_TIMEOUT_MS;
  readonly #sources: Sources;
  readonly #filter: OrderFilter;
  readonly #form: CsvForm;
  readonly #slices = new Slices();
  #hasHeader = false;
  /** Orders with lower numbers are still to come; 0: all; undefined: none. */
  #before: number | undefined = 0;

  constructor(sources: Sources, filter: OrderFilter, form: CsvForm) {
    this.#sources = sources;
    this.#filter = filter;
    this.#form = form;
  }

  async read(): Promise<Uint8Array | undefined> {
    if (!this.#hasHeader) {
      this.#hasHeader = true;
      return Buffer.from(csvHead(ORDER_COLUMNS, this.#form));
    }
    let text = '';
    while (text === '' && this.#before !== undefined) {
      await this.#slices.rest();
      const before = this.#before;
      const page = { ...this.#filter, before, limit: ORDERS_A_CHUNK };
      const { orders, nextCursor } = await pageOfOrders(this.#sources, page);
      // The reader may have gone meanwhile.
      if (this.#before === undefined) return undefined;
      for (const order of orders) text += this.#lineOf(order);
      this.#before = nextCursor.nextCursor === undefined ? undefined : Number(nextCursor.nextCursor);
    }
    if (text === '') return undefined;
    await this.#durable();
    return Buffer.from(text);
  }

  abandon(): void {
    this.#before = undefined;
  }

  async close(): Promise<void> {}

  #durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sources.engine.whenDurable((durable) => {
        if (durable) resolve();
        else reject(new Error('orders of the list can not be stored'));
      });
    });
  }

  #lineOf(order: Order): string {
    const { zone } = this.#filter;
    const { adjustments, requestNumber, recipientUsername, idempotencyKey } = order;
    const isRefunded = adjustments.some(({ kind }) => kind === 'refund');
    return csvLine([
      order.orderId,
      zone.text(order.createdAtMs),
      order.accountId,
      order.productId,
      order.quantity,
      order.status,
      usdtText(order.totalMicros),
      isRefunded ? usdtText(refundedMicros(adjustments)) : '',
      usdtText(order.balanceAfterMicros),
      order.priceRule ?? '',
      order.priceListId ?? '',
      textCell(recipientUsername ?? '', this.#form),
      textCell(idempotencyKey, this.#form),
      requestNumber === NO_REQUEST ? '' : requestIdOf(requestNumber),
      zone.name,
    ]);
  }
}
