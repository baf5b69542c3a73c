/** Bytes that differ with the seed and from place to place, so that none can stand for others unnoticed. */
export function patternBytes(length: number, seed: number): Buffer<ArrayBuffer> {
  // Four at a time: tests make many millions of them.
  const words = new Uint32Array(Math.ceil(length / 4));
  let value = (seed + 1) * 2_654_435_761;
  for (let index = 0; index < words.length; index += 1) {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    words[index] = value;
  }
  return Buffer.from(words.buffer, 0, length);
}
