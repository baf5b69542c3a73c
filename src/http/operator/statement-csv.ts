/**
 * A statement as CSV (RFC 4180), of any length, with one chunk of it in memory.
 *
 * What always holds: the bytes follow from facts alone. The columns never change their order; new ones would come last.
 * Amounts are exact decimals, times are UTC. A text that a spreadsheet would run as a formula gets an apostrophe in front,
 * which spreadsheets don't show: texts come from whoever may credit, and whoever opens the file trusts it.
 */
import { MICROS_PER_USDT } from '../../engine/money.ts';
import { NO_ORDER } from '../../engine/supplier-purchases.ts';
import type { Movement, Place } from '../../persistence/checkpoint/movement-row.ts';
import type { ReplyBody } from '../transport/reply-stream.ts';
import { Bites } from './bites.ts';

const COLUMNS = 'seq,at,kind,amountUsdt,balanceUsdt,orderId,reference,operator,reason';
const LINE_END = '\r\n';
const CHUNK_CHARS = 64 * 1024;
const IDLE_TIMEOUT_MS = 60_000;
const DECIMALS = 6;
/** So a cell begins that is a formula in some spreadsheet: they skip spaces, of which a byte order mark is one. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

export interface StatementCsvSource {
  /** Behind this place, oldest first; not beyond this turn of the event loop. */
  readonly movements: (after: Place) => Iterable<Movement>;
  /** Where the statement begins. */
  readonly start: Place;
  /** The statement's last movement; 0 when there is none. */
  readonly lastSeq: number;
  readonly nameOf: (operatorId: number) => string;
}

export class StatementCsv implements ReplyBody {
  readonly lengthBytes = undefined;
  readonly idleTimeoutMs = IDLE_TIMEOUT_MS;
  readonly #source: StatementCsvSource;
  readonly #bites = new Bites();
  #after: Place;
  #hasHeader = false;

  constructor(source: StatementCsvSource) {
    this.#source = source;
    this.#after = source.start;
  }

  async read(): Promise<Uint8Array | undefined> {
    let text = this.#hasHeader ? '' : COLUMNS + LINE_END;
    if (this.#hasHeader) await this.#bites.rest();
    this.#hasHeader = true;
    const { movements, lastSeq, nameOf } = this.#source;
    for (const movement of movements(this.#after)) {
      if (movement.seq > lastSeq) break;
      text += csvLine(movement, nameOf);
      this.#after = movement;
      if (text.length >= CHUNK_CHARS || this.#bites.isFull) break;
    }
    return text === '' ? undefined : Buffer.from(text);
  }

  async close(): Promise<void> {}
}

function csvLine(movement: Movement, nameOf: (operatorId: number) => string): string {
  const { seq, atMs, kind, changeMicros, balanceMicros, orderId, reference, operatorId, reason } = movement;
  const cells = [
    seq,
    new Date(atMs).toISOString(),
    kind,
    exactUsdt(changeMicros),
    exactUsdt(balanceMicros),
    orderId === NO_ORDER ? '' : orderId,
    textCell(reference),
    textCell(operatorId === undefined ? '' : nameOf(operatorId)),
    textCell(reason ?? ''),
  ];
  return cells.join(',') + LINE_END;
}

/** All six decimals that count, and no more. */
function exactUsdt(micros: number): string {
  const amount = Math.abs(micros);
  const whole = Math.floor(amount / MICROS_PER_USDT);
  const rest = String(amount % MICROS_PER_USDT)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '');
  return `${micros < 0 ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
}

function textCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
