/** A receipt as somebody brings it: proved, or why it counts for nothing. */
import { verifyJws } from './compact-jws.ts';
import { MAX_RECEIPT_BYTES, RECEIPT_TYPE, type ReceiptClaims } from './receipt-claims.ts';
import type { PublicKeys } from './signing-key.ts';

/** Whose receipts count. */
export interface ProvingShop {
  /** `KeyRing.shop` */
  readonly shop: string;
  readonly keys: PublicKeys;
}

export type ParsedReceipt = { readonly claims: ReceiptClaims } | { readonly reason: string };

/** `reason` is a few words that begin with "it". */
export function parseReceipt(text: string, { shop, keys }: ProvingShop): ParsedReceipt {
  if (text.length > MAX_RECEIPT_BYTES) return { reason: 'it is longer than any receipt' };
  const verified = verifyJws(text, RECEIPT_TYPE, keys);
  if ('reason' in verified) return verified;
  const claims = JSON.parse(verified.payload.toString()) as ReceiptClaims;
  return claims.shop === shop ? { claims } : { reason: `it is of another shop, ${claims.shop}` };
}
