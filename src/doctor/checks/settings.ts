/**
 * Errors and oddities of the environment: files of secrets, and variables that mean nothing. Settings that are wrong
 * end the command before any check.
 */
import { type Finding, failed, ok, together, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

export function settings({ config, secretTroubles }: Pick<Patient, 'config' | 'secretTroubles'>): Finding {
  const unread = Object.values(secretTroubles).map(({ message }) => failed(message));
  const odd =
    config.warning === undefined
      ? ok('every variable PURSER_… means something')
      : warning(`${config.warning}: correct or unset them`);
  return together([...unread, odd]);
}
