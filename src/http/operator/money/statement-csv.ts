/**
 * A statement as CSV (RFC 4180), of any length, with one chunk of it in memory.
 *
 * Invariant: the bytes follow from facts alone. The columns never change their order; new ones come last. Amounts are
 * exact decimals. Times say how far their clocks are ahead of UTC, and each line names the zone. Texts: `csv-text.ts`.
 */
import { usdtText } from '../../../engine/money.ts';
import { NO_ORDER } from '../../../engine/supplying/supplier-purchases.ts';
import type { Movement } from '../../../persistence/checkpoint/movements.ts';
import type { Place } from '../../../persistence/checkpoint/places.ts';
import { Slices } from '../../../shared/slices.ts';
import type { ReplyBody } from '../../transport/reply-stream.ts';
import { type CsvForm, csvHead, csvLine, textCell } from '../csv-text.ts';
import type { TimeZone } from '../time-zone.ts';

const COLUMNS = 'seq at kind amountUsdt balanceUsdt orderId reference operator reason timeZone'.split(' ');
const CHUNK_CHARS = 64 * 1024;
const IDLE_TIMEOUT_MS = 60_000;

export interface StatementCsvSource {
  /** Behind this place, oldest first; not beyond this tick of the event loop. */
  readonly movements: (after: Place) => Iterable<Movement>;
  /** Where the statement begins. */
  readonly start: Place;
  /** The statement's last movement; 0 when there is none. */
  readonly lastSeq: number;
  readonly nameOf: (operatorId: number) => string;
  /** `NO_ORDER` when it is about none. */
  readonly orderOf: (movement: Movement) => number;
  /** Whose clocks the times are of. */
  readonly zone: TimeZone;
  readonly form: CsvForm;
}

export class StatementCsv implements ReplyBody {
  readonly lengthBytes = undefined;
  readonly idleTimeoutMs = IDLE_TIMEOUT_MS;
  readonly #source: StatementCsvSource;
  readonly #slices = new Slices();
  #after: Place;
  #hasHeader = false;

  constructor(source: StatementCsvSource) {
    this.#source = source;
    this.#after = source.start;
  }

  async read(): Promise<Uint8Array | undefined> {
    let text = this.#hasHeader ? '' : csvHead(COLUMNS, this.#source.form);
    if (this.#hasHeader) await this.#slices.rest();
    this.#hasHeader = true;
    const { movements, lastSeq } = this.#source;
    for (const movement of movements(this.#after)) {
      if (movement.seq > lastSeq) break;
      text += lineOf(movement, this.#source);
      this.#after = movement;
      if (text.length >= CHUNK_CHARS || this.#slices.isFull) break;
    }
    return text === '' ? undefined : Buffer.from(text);
  }

  async close(): Promise<void> {}
}

function lineOf(movement: Movement, { nameOf, orderOf, zone, form }: StatementCsvSource): string {
  const { seq, atMs, kind, changeMicros, balanceMicros, reference, operatorId, reason } = movement;
  const orderId = orderOf(movement);
  return csvLine([
    seq,
    zone.text(atMs),
    kind,
    usdtText(changeMicros),
    usdtText(balanceMicros),
    orderId === NO_ORDER ? '' : orderId,
    textCell(reference, form),
    textCell(operatorId === undefined ? '' : nameOf(operatorId), form),
    textCell(reason ?? '', form),
    zone.name,
  ]);
}
