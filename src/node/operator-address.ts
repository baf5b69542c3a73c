/** Where this machine's commands find the node: a file in its folder. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { ADDRESS_FILE } from '../persistence/folder/data-folder.ts';

/** A full disk must not keep a node from starting. */
export function tellAddress(folder: string, log: Logger, operatorUrl: string): void {
  try {
    writeDurably(join(folder, ADDRESS_FILE), `${operatorUrl}\n`);
  } catch (error) {
    log.warn({ err: error }, 'cannot write operator-address: commands on this machine need --operator');
  }
}
