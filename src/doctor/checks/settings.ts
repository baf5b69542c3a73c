/** Variables of the environment that mean nothing. Settings that are wrong end the command before any check. */

import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, ok, warning } from '../finding.ts';

export function settings({ config }: Pick<CheckedMachine, 'config'>): Finding {
  if (config.warning === undefined) return ok('every variable PURSER_… means something');
  return warning(`${config.warning}: correct or unset them`);
}
