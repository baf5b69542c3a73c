/**
 * Reports that a supplier sends by itself: how a purchase that it had promised ended (docs/suppliers.md).
 *
 * Invariant: a report needs the supplier's signature, at most five minutes old, by the secret that counts when it leads
 * to something; a repeated report changes nothing and is accepted like the first; one that is of no purchase of this
 * supplier, or contradicts how it ended, is refused. A long report is worked at in slices.
 */
import { timingSafeEqual } from 'node:crypto';
import { endOfReference, type History } from '../engine/decide/history.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { signatureOf } from '../outgoing/signature.ts';
import type { SecretCipher } from '../persistence/keys/secret-cipher.ts';
import { ownTick } from '../shared/event-loop.ts';
import { ListedJsonError, PIECE_BYTES, readListedJson } from '../shared/listed-json.ts';
import { readJson } from '../shared/text-reader.ts';
import type { Heard, PurchaseEndings } from './purchase-endings.ts';
import { MAX_SAID_TEXTS, type ProgressAnswer, textsIn } from './supplier-port.ts';

const MAX_AGE_MS = 5 * 60_000;
const SIGNED_AT = /^t=(\d{1,16}),/;
const MAX_REFERENCE_BYTES = 256;
const REFERENCE = /"reference"\s{0,16}:\s{0,16}"([^"\\]{0,200})"/;

export interface SupplierReportsOptions {
  readonly engine: Engine;
  readonly history: History;
  readonly secrets: SecretCipher;
  readonly endings: PurchaseEndings;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Told of a report that was refused, because the supplier was asked for no such purchase. */
  readonly onUnknown: (supplierId: number, reference: string) => void;
}

/** `unknown`: the supplier was asked for no such purchase. */
export type ReportResult = Heard | 'malformed' | 'forged' | 'unknown';

export class SupplierReports {
  readonly #options: SupplierReportsOptions;

  constructor(options: SupplierReportsOptions) {
    this.#options = options;
  }

  /** False when, whatever the body is, the signature can't be right: it is too old, or there is no such supplier. */
  mayBeSigned(supplierId: number, signature: string): boolean {
    const { engine, clock } = this.#options;
    const ageMs = clock() - Number(SIGNED_AT.exec(signature)?.[1]);
    return Math.abs(ageMs) <= MAX_AGE_MS && engine.state.suppliers.get(supplierId) !== undefined;
  }

  async hear(supplierId: number, signature: string, body: Uint8Array): Promise<ReportResult> {
    const { engine, history, endings, onUnknown } = this.#options;
    // Transports take their memory back after the call.
    const bytes = Buffer.from(body);
    const isLong = bytes.length > PIECE_BYTES;
    const reference = isLong ? await longReferenceIn(bytes) : referenceIn(bytes);
    if (isLong) await ownTick();
    const secret = this.#secretOf(supplierId);
    if (!this.mayBeSigned(supplierId, signature) || !isSigned(secret, signature, reference, bytes))
      return 'forged';
    const report = isLong ? await parseLong(bytes) : parse(bytes);
    if (report?.reference !== reference) return 'malformed';
    // An operator may have changed it while the report was parsed.
    if (isLong && this.#secretOf(supplierId) !== secret) return 'forged';
    const open = engine.state.supplierPurchases.ofReference(reference);
    const purchase = open ?? endOfReference(engine.state, history, reference)?.supplierPurchase;
    if (purchase?.supplierId === supplierId) return await endings.hear(purchase, report.said);
    onUnknown(supplierId, reference);
    return 'unknown';
  }

  /** Undefined when there is none, or it can't be read with this master key. */
  #secretOf(supplierId: number): string | undefined {
    const { engine, secrets } = this.#options;
    const supplier = engine.state.suppliers.get(supplierId);
    return supplier === undefined ? undefined : secrets.open(supplier.profile.sealedSecret);
  }
}

function isSigned(secret: string | undefined, signature: string, reference: string, body: Buffer): boolean {
  if (secret === undefined) return false;
  const expected = Buffer.from(signatureOf(secret, Number(SIGNED_AT.exec(signature)?.[1]), reference, body));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The reference that the signature covers, found before the body is verified and parsed. Parsing must find the same. */
function referenceIn(body: Buffer): string {
  return REFERENCE.exec(body.toString('latin1'))?.[1] ?? '';
}

/** `referenceIn` in windows that overlap by more than what is looked for has. */
async function longReferenceIn(body: Buffer): Promise<string> {
  for (let start = 0; start < body.length; start += PIECE_BYTES - MAX_REFERENCE_BYTES) {
    const reference = referenceIn(body.subarray(start, start + PIECE_BYTES));
    if (reference !== '') return reference;
    await ownTick();
  }
  return '';
}

interface Report {
  readonly reference: string;
  readonly said: ProgressAnswer;
}

function parse(body: Buffer): Report | undefined {
  let value: unknown;
  try {
    value = readJson(body);
  } catch {
    return undefined;
  }
  return reportOf(value);
}

async function parseLong(body: Buffer): Promise<Report | undefined> {
  try {
    const { fields, texts } = await readListedJson(body, 'items', MAX_SAID_TEXTS);
    return reportOf(texts.length === 0 ? fields : { ...(fields as object), items: texts });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ListedJsonError) return undefined;
    throw error;
  }
}

function reportOf(value: unknown): Report | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { reference, status, items } = value as Readonly<Record<string, unknown>>;
  if (typeof reference !== 'string') return undefined;
  if (status === 'failed') return { reference, said: { kind: 'failed' } };
  const texts = textsIn(items);
  if (status !== 'delivered' || texts === undefined) return undefined;
  return { reference, said: { kind: 'delivered', items: texts } };
}
