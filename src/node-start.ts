/** How every node starts, whether it shares its log or has it alone. */
import { configured } from './config/configured.ts';
import type { NodeOptions } from './folder-parts.ts';
import { type ChosenTransport, chooseTransport } from './http/transport/transport-choice.ts';
import { PURSER_VERSION } from './version.ts';

/** Says so in the log. Throws errors whose message is one line that says what is wrong and what to do. */
export async function beginStart({ config, log }: NodeOptions): Promise<ChosenTransport> {
  const chosen = await chooseTransport(config.transport);
  log.info(
    { version: PURSER_VERSION, node: process.version, transport: chosen.name, options: configured(config) },
    'starting',
  );
  return chosen;
}
