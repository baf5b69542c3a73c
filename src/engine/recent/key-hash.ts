/**
 * Mixes an account's key into 53 bits. The function must never change: data folders hold its hashes, and a key that
 * hashed otherwise would be taken for a new one. Not for secrets: whoever chooses keys can make two alike.
 */
export function keyHash(accountId: number, key: string): number {
  let high = 0xdeadbeef ^ accountId;
  let low = 0x41c6ce57 ^ accountId;
  for (let index = 0; index < key.length; index += 1) {
    const unit = key.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x85ebca77);
    low = Math.imul(low ^ unit, 0xc2b2ae3d);
  }
  high = Math.imul(high ^ (high >>> 15) ^ low, 0x735a2d97);
  low = Math.imul(low ^ (low >>> 15) ^ high, 0xcaf649a9);
  high ^= low >>> 16;
  low ^= high >>> 16;
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
