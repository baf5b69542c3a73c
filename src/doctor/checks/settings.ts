/** What is odd about the environment; settings that are wrong end the command before any check. */
import { type Finding, ok, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

export function settings({ config }: Patient): Finding {
  if (config.warning === undefined) return ok('every variable PURSER_… means something');
  return warning(`${config.warning}: correct or unset them`);
}
