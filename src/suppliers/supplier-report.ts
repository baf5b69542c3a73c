/**
 * What a supplier reports of its own accord: the end of a purchase that it had promised (docs/suppliers.md).
 *
 * What always holds: only who has the secret is heard, and only within five minutes of signing; a report that
 * comes again changes nothing and is thanked for like the first.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Engine } from '../engine/engine.ts';
import { signatureOf } from '../webhooks/signature.ts';
import { textsIn } from './http-supplier.ts';
import type { ProgressAnswer } from './supplier-port.ts';
import type { SupplierSecrets } from './supplier-secrets.ts';
import type { SupplyFollower } from './supply-follower.ts';

const MAX_AGE_MS = 5 * 60_000;
const SIGNED_AT = /^t=(\d{1,16}),/;

export interface SupplierReportsOptions {
  readonly engine: Engine;
  readonly secrets: SupplierSecrets;
  readonly follower: SupplyFollower;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/** `later`: right, but it can't be taken at this moment. */
export type ReportResult = 'heard' | 'malformed' | 'forged' | 'later';

export class SupplierReports {
  readonly #options: SupplierReportsOptions;

  constructor(options: SupplierReportsOptions) {
    this.#options = options;
  }

  readonly hear = async (supplierId: number, signature: string, body: Uint8Array): Promise<ReportResult> => {
    const { engine, follower } = this.#options;
    const report = parse(body);
    if (!this.#isSigned(supplierId, signature, report?.reference ?? '', body)) return 'forged';
    if (report === undefined) return 'malformed';
    const supply = engine.state.supplies.ofReference(report.reference);
    // Of a purchase that has ended there is nothing left to say.
    if (supply === undefined || supply.supplierId !== supplierId) return 'heard';
    return (await follower.hear(supply, report.said)) ? 'heard' : 'later';
  };

  #isSigned(supplierId: number, signature: string, reference: string, body: Uint8Array): boolean {
    const { engine, secrets, clock } = this.#options;
    const supplier = engine.state.suppliers.get(supplierId);
    const signedAtMs = Number(SIGNED_AT.exec(signature)?.[1]);
    if (supplier === undefined || !(Math.abs(clock() - signedAtMs) <= MAX_AGE_MS)) return false;
    const secret = secrets.open(supplier);
    if (secret === undefined) return false;
    const expected = Buffer.from(signatureOf(secret, signedAtMs, reference, body));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

interface Report {
  readonly reference: string;
  readonly said: ProgressAnswer;
}

function parse(body: Uint8Array): Report | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { reference, status, items } = value as Readonly<Record<string, unknown>>;
  if (typeof reference !== 'string') return undefined;
  if (status === 'failed') return { reference, said: { kind: 'failed' } };
  const texts = textsIn(items);
  if (status !== 'delivered' || texts === undefined) return undefined;
  return { reference, said: { kind: 'delivered', items: texts } };
}
