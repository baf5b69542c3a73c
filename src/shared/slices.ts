/** Long work of a thread, in slices of at most 2 ms, between which others have their turns. */
import { setTimeout } from 'node:timers/promises';
import { ownTick } from './event-loop.ts';

const SLICE_MS = 2;

export class Slices {
  #beganMs = performance.now();

  /** Whether it is time to `rest`. */
  get isFull(): boolean {
    return performance.now() - this.#beganMs >= SLICE_MS;
  }

  /** Ends the slice: purchases have their turns, which may change what was read before. */
  async rest(): Promise<void> {
    await ownTick();
    this.#beganMs = performance.now();
  }
}

/**
 * Work that nobody waits for at this moment, and that takes many seconds: shorter slices, and after each a rest twice as
 * long, so that purchases meanwhile are hardly slower.
 */
export class PatientSlices {
  #beganMs = performance.now();

  get isFull(): boolean {
    return performance.now() - this.#beganMs >= PATIENT_SLICE_MS;
  }

  async rest(): Promise<void> {
    await setTimeout(PATIENT_REST_MS);
    this.#beganMs = performance.now();
  }
}

const PATIENT_SLICE_MS = 1;
const PATIENT_REST_MS = 2;
