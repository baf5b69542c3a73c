/** How every node starts, whether it shares its log or has it alone. */
import { givenSettings } from '../config/shown-settings.ts';
import { type ChosenTransport, chooseTransport } from '../http/transport/transport-choice.ts';
import { PURSER_VERSION } from '../version.ts';
import type { NodeOptions } from './data-folder.ts';
import { buyerIdentity } from './listeners.ts';

/**
 * Finds out whether what a start needs is there, before anything is opened, and says in the log how it begins. Throws errors
 * whose message is one line that says what is wrong and what to do.
 */
export async function beginStart({ config, log }: NodeOptions): Promise<ChosenTransport> {
  const chosen = await chooseTransport(config.transport);
  const tls = buyerIdentity(config);
  log.info(
    {
      version: PURSER_VERSION,
      node: process.version,
      transport: chosen.name,
      options: givenSettings(config),
    },
    'starting',
  );
  if (tls !== undefined) log.info({ names: tls.names, expiresAt: tls.expiresAt }, 'the buyer API speaks TLS');
  return chosen;
}
