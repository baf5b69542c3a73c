/**
 * What V8 is told about the heap of a process that reads a node's state.
 *
 * - How far it may grow before it is swept: by itself V8 lets the engine's grow to three times what is alive, which is
 *   memory that no order needs.
 * - Where objects begin: by itself V8 notes places in the code whose objects lived on, as in a burst, and makes theirs among
 *   the old from then on, for good (decision 18).
 *
 * What always holds: it is told before the state is read, so before there is a heap to speak of, and for all threads. And
 * not sooner: what node itself brings along compiled counts only as long as V8 was told nothing, and without it each
 * thread takes half as long again to start.
 */
import { setFlagsFromString } from 'node:v8';

export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
