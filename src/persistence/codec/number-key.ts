/** Numbers as keys of rows: big-endian, so that rows lie in the order of their numbers. */
const NUMBER_BYTES = 8;

/** A number below 2^53 as eight bytes that sort like it. */
export function numberKey(value: number): Buffer {
  const key = Buffer.allocUnsafe(NUMBER_BYTES);
  writeNumberKey(key, value, 0);
  return key;
}

/** Several numbers below 2^53 one behind the other, so that keys sort by the first, then the next. */
export function numbersKey(...numbers: readonly number[]): Buffer {
  const key = Buffer.allocUnsafe(numbers.length * NUMBER_BYTES);
  for (let index = 0; index < numbers.length; index += 1) {
    writeNumberKey(key, numbers[index] ?? 0, index * NUMBER_BYTES);
  }
  return key;
}

export function writeNumberKey(key: Buffer, value: number, offset: number): void {
  key.writeUInt32BE(Math.floor(value / 2 ** 32), offset);
  key.writeUInt32BE(value >>> 0, offset + 4);
}

export function readNumberKey(key: Buffer, offset = 0): number {
  return key.readUInt32BE(offset) * 2 ** 32 + key.readUInt32BE(offset + 4);
}
