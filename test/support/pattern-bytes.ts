/** Bytes that differ with the seed and from place to place, so that none can stand for others unnoticed. */
export function patternBytes(length: number, seed: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(length));
  let value = (seed + 1) * 2_654_435_761;
  for (let index = 0; index < length; index += 1) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = value >>> 24;
  }
  return bytes;
}
