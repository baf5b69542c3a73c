/**
 * A signed head: the shop vouches that its journal was at a position with this hash. The hash follows from all facts
 * before, so who keeps heads elsewhere sees when somebody rewrites history: its chain leads to other hashes.
 */
import { signJws, verifyJws } from './compact-jws.ts';
import type { PublicKeys, SigningKey } from './signing-key.ts';

export const HEAD_TYPE = 'purser-head+jws';

export interface HeadClaims {
  /** `KeyRing.shop` */
  readonly shop: string;
  /** The epoch of `position`. */
  readonly epoch: number;
  /** `hash` is hexadecimal SHA-256. */
  readonly position: { readonly seq: number; readonly hash: string };
  /** Unix milliseconds. */
  readonly at: number;
}

/** A compact JWS. */
export function signHead(key: SigningKey, { shop, epoch, position, at }: HeadClaims): string {
  const { seq, hash } = position;
  return signJws(key, HEAD_TYPE, JSON.stringify({ shop, epoch, position: { seq, hash }, at }));
}

/** Whether it is signed, and says what these claims do, at whatever time. */
export function isHeadOf(text: string, { shop, epoch, position }: HeadClaims, keys: PublicKeys): boolean {
  const verified = verifyHead(text, keys);
  if ('reason' in verified) return false;
  const { head } = verified;
  const { seq, hash } = head.position;
  return head.shop === shop && head.epoch === epoch && seq === position.seq && hash === position.hash;
}

/** `reason` is a few words that begin with "it". */
export function verifyHead(
  text: string,
  keys: PublicKeys,
): { readonly head: HeadClaims } | { readonly reason: string } {
  const verified = verifyJws(text, HEAD_TYPE, keys);
  if ('reason' in verified) return verified;
  return { head: JSON.parse(verified.payload.toString()) as HeadClaims };
}
