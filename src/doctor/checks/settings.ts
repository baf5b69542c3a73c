/** Variables of the environment that mean nothing. Settings that are wrong end the command before any check. */
import { type Finding, ok, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

export function settings({ config }: Pick<Patient, 'config'>): Finding {
  if (config.warning === undefined) return ok('every variable PURSER_… means something');
  return warning(`${config.warning}: correct or unset them`);
}
