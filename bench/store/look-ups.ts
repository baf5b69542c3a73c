/** Look-ups and what they take, as rows of a table: the first one by itself, for a process that just started. */

export const LOOK_UP_HEADER = [
  '',
  'first, ms',
  'of processor',
  'others',
  'median µs',
  'mean of processor, µs',
] as const;

/** Time of the processor that this process has taken, all threads together. */
export function processorMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Looks up once, and then `others` times. `look` throws when it doesn't find what it should. */
export async function lookUps(
  name: string,
  others: number,
  look: (index: number) => void | Promise<void>,
): Promise<string[]> {
  const beganMs = performance.now();
  const beganMicros = processorMicros();
  await look(0);
  const first = [
    (performance.now() - beganMs).toFixed(2),
    ((processorMicros() - beganMicros) / 1000).toFixed(2),
  ];
  if (others === 0) return [name, ...first];
  const micros = new Float64Array(others);
  const processor = processorMicros();
  for (let index = 1; index <= others; index += 1) {
    const startMs = performance.now();
    const pending = look(index);
    // A turn costs as much as a short look-up.
    if (pending !== undefined) await pending;
    micros[index - 1] = (performance.now() - startMs) * 1000;
  }
  const each = (processorMicros() - processor) / others;
  micros.sort();
  return [
    name,
    ...first,
    others.toLocaleString('en'),
    (micros[others >>> 1] ?? 0).toFixed(1),
    each.toFixed(1),
  ];
}
