/** Steps that open a restored shop, which the banner of closed sales leads to: a field of the address of the screen Node. */
import { addressOf } from './router.ts';

export const RESTORE_STEP = 'step';

/** Steps that are no action, but something to read. */
export type RestoreStep = 'missing' | 'taken';

export function restoreStep(step: RestoreStep): string {
  return addressOf('node', undefined, { [RESTORE_STEP]: step });
}
