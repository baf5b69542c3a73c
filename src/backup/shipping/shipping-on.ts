/**
 * The continuous backup for as long as its process: begun again, from the first fact, at a target that has lost what was
 * there. Nobody needs to start the node anew because a disk was exchanged.
 */
import { BackupError } from '../backup-error.ts';
import { type ContinuousOptions, ContinuousShipping } from './continuous-shipping.ts';

export interface ShippingOnOptions extends ContinuousOptions {
  /** Called when the run is at the target. */
  readonly onBegun: (shipping: ContinuousShipping) => void;
  /** Nothing is known to be there any more. The shipping of `onBegun` has ended. */
  readonly onLost: (error: BackupError) => void;
}

/** Resolves after `ContinuousShipping.finish`; rejects when nothing is shipped any more, as its `begin` and `run` do. */
export async function shipOn(options: ShippingOnOptions): Promise<void> {
  for (let lastRun = 0; ; ) {
    const shipping = await ContinuousShipping.begin(options, lastRun);
    options.onBegun(shipping);
    try {
      return await shipping.run();
    } catch (error) {
      if (!BackupError.is(error, 'lost')) throw error;
      await shipping.close();
      // When the old disk comes back, its newest run must not look like another node's.
      lastRun = shipping.runNumber;
      options.onLost(error);
    }
  }
}
