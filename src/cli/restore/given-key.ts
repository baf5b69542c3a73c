/** The shop's master key, for commands that open what no node has open. */
import type { GivenMasterKey } from '../../restore/restored-keys.ts';
import { readText } from '../stock/item-source.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface KeyFlags {
  readonly masterKeyFile?: string;
}

/** `what` opens with it, in words. Rejects with `CommandFailure` when none is given, and as `givenMasterKey` throws. */
export async function givenKey(
  { masterKeyFile }: KeyFlags,
  terminal: Terminal,
  what: string,
): Promise<GivenMasterKey> {
  const { givenMasterKey } = await import('../../restore/restored-keys.ts');
  if (masterKeyFile !== undefined) {
    return givenMasterKey(await readText(masterKeyFile, terminal.stdin), { file: masterKeyFile });
  }
  const fromEnvironment = terminal.env.PURSER_MASTER_KEY || undefined;
  if (fromEnvironment !== undefined) return givenMasterKey(fromEnvironment, 'PURSER_MASTER_KEY');
  throw new CommandFailure(
    `${what} opens with the shop's master key alone: give --master-key-file, or set PURSER_MASTER_KEY`,
  );
}
