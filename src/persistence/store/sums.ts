/** Values of tables whose rows are added up: whole numbers of either sign, always as many in a table. */
import { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { signed, unsigned } from '../codec/varint.ts';

export function writeSums(out: ByteWriter, sums: readonly number[]): void {
  for (const sum of sums) out.varint(signed(sum));
}

/** Throws `DamagedDataError`. */
export function readSums(bytes: Uint8Array): number[] {
  const input = new ByteReader(bytes);
  const sums: number[] = [];
  while (!input.isAtEnd) sums.push(unsigned(input.varint()));
  return sums;
}

/** Adds what `bytes` say to `sums`, which may be empty still. */
export function addTo(sums: number[], bytes: Uint8Array): void {
  for (const [at, more] of readSums(bytes).entries()) sums[at] = (sums[at] ?? 0) + more;
}
