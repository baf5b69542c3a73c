/**
 * POST /restore/receipts: a receipts file, line by line, each of which puts an order of a gap back (docs/receipts.md).
 *
 * Invariant: a receipt that was taken in stays, also when the upload breaks off; the same file again goes on. An
 * invalid line changes nothing and stops nothing. Lists of the answer are bounded, their counts are whole.
 */

import { MAX_RECEIPT_BYTES } from '../../../receipts/receipt-claims.ts';
import { receiptLines } from '../../../receipts/receipts-file.ts';
import { NotNowError } from '../../../recovery/not-now-error.ts';
import type { Recovered } from '../../../recovery/receipt-recovery.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { badRequest } from '../../errors.ts';
import { errorOfRejection } from '../../reply.ts';
import { REASON } from '../operator-body.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { OWNERS } from '../roles.ts';
import { UPLOAD_IDLE_TIMEOUT_MS } from '../stock/upload.ts';
import { TAKE_IN_RECEIPTS } from './receipt-operations.ts';

/** Lines that an answer lists, of each kind. */
export const MAX_LISTED_RECEIPTS = 1_000;
/** Each waits for the disk twice; what comes at the same time is synced at once. */
const MAX_UNDER_WAY = 16;

const NOT_TEXT = badRequest('The Content-Type must be text/plain: one receipt a line.');
const TOO_LONG = { reason: `it is longer than any receipt, ${MAX_RECEIPT_BYTES} bytes` };

export function receiptRoutes(services: OperatorServices): OperatorRoute[] {
  return [
    operatorRoute(
      'POST /restore/receipts',
      TAKE_IN_RECEIPTS,
      (context) => {
        const contentType = context.request.header('content-type') ?? '';
        // Asked for even when it is not wanted: the transport bounds how much of such a body it reads.
        const body = context.request.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
        if (/^text\/plain\s*(;|$)/i.test(contentType)) context.runUpload(takeIn(services, context, body));
        else context.fail(NOT_TEXT);
      },
      { roles: OWNERS, query: REASON },
    ),
  ];
}

async function takeIn(
  { receipts }: OperatorServices,
  context: OperatorContext,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const tally = new Tally();
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const { line, receipt } of receiptLines(body)) {
    const refusal = context.lateRefusal();
    if (refusal !== undefined) return context.fail(refusal);
    const recovered =
      receipt === undefined ? Promise.resolve(TOO_LONG) : receipts.recover(receipt, context.origin);
    const done = recovered
      .then((result) => tally.add(line, result))
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(done));
    underWay.add(done);
    if (underWay.size >= MAX_UNDER_WAY) await Promise.race(underWay);
    if (failures.length > 0) break;
  }
  await Promise.all(underWay);
  const [failure] = failures;
  if (failure instanceof NotNowError) return context.fail(errorOfRejection(failure.rejection));
  if (failures.length > 0) throw failure;
  context.succeed(200, tally.fields);
}

interface Listed {
  readonly line: number;
  readonly reason: string;
}

class Tally {
  /**
   * The last pending receipt of each order, by its order. Receipts of orders beyond the list are counted one by one.
   */
  readonly #pending = new Map<number, Listed & { readonly orderId: number }>();
  readonly #invalid: Listed[] = [];
  readonly #counts = { receipts: 0, recovered: 0, repeated: 0, waiting: 0, pendingCount: 0, invalidCount: 0 };

  get fields(): Fields {
    const pending = inOrder(Array.from(this.#pending.values()));
    return { ...this.#counts, pending, invalid: inOrder(this.#invalid) };
  }

  add(line: number, result: Recovered | { readonly reason: string }): void {
    const counts = this.#counts;
    counts.receipts += 1;
    if ('reason' in result) {
      counts.invalidCount += 1;
      if (this.#invalid.length < MAX_LISTED_RECEIPTS) this.#invalid.push({ line, reason: result.reason });
      return;
    }
    const { orderId, isNew, waits, pendingBecause } = result;
    counts[isNew ? 'recovered' : 'repeated'] += 1;
    if (waits) counts.waiting += 1;
    if (this.#pending.delete(orderId)) counts.pendingCount -= 1;
    if (pendingBecause === undefined) return;
    counts.pendingCount += 1;
    if (this.#pending.size < MAX_LISTED_RECEIPTS)
      this.#pending.set(orderId, { line, orderId, reason: pendingBecause });
  }
}

function inOrder<Row extends Listed>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => a.line - b.line);
}
