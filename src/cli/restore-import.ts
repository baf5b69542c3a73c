/** `purser restore import FOLDER`: the folder that was lost takes the restored one's place. The node must be stopped. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { fieldLines } from './answer-text.ts';
import { CommandFailure, codeOf, fileTrouble } from './failure.ts';
import { dataFolder } from './operator-target.ts';
import { printLines, type Terminal } from './terminal.ts';

interface ImportFlags {
  readonly data?: string;
  readonly discard?: boolean;
  readonly json?: boolean;
}

/** `parent` is the command `restore`. */
export function addRestoreImportCommand(parent: Command, terminal: Terminal): void {
  parent
    .command('import')
    .description(
      'go on with the folder that was lost, if it has turned up; the restored node must be stopped',
    )
    .argument('<FOLDER>', 'the data folder that was lost')
    .option('--data <DIR>', 'the restored data folder (env: PURSER_DATA, default: ./data)')
    .option('--discard', 'drop what was entered since the restore')
    .option('--json', 'print the result as one JSON object')
    .action(async (from: string, flags: ImportFlags) => {
      const folder = resolve(dataFolder(flags.data, terminal.env));
      const { importFolder } = await import('../restore/folder-import.ts');
      const { givenMasterKey } = await import('../restore/restored-keys.ts');
      const fromEnvironment = terminal.env.PURSER_MASTER_KEY || undefined;
      const file = join(from, 'master-key');
      const key =
        fromEnvironment === undefined
          ? givenMasterKey(keyText(file), { file })
          : givenMasterKey(fromEnvironment, 'PURSER_MASTER_KEY');
      const imported = await importFolder({
        folder,
        from: resolve(from),
        key,
        discards: flags.discard === true,
        nowMs: Date.now(),
        say: (line) => printLines(terminal.stderr, [line]),
      });
      const result = { dataFolder: folder, ...imported };
      printLines(terminal.stdout, flags.json === true ? [JSON.stringify(result)] : fieldLines(result));
    });
}

/** Throws `CommandFailure`. */
function keyText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw new CommandFailure(`cannot read ${file}: ${fileTrouble(error)}`);
    throw new CommandFailure(
      `there is no ${file}: name the data folder that was lost, and set PURSER_MASTER_KEY if the shop had its master key from there`,
    );
  }
}
