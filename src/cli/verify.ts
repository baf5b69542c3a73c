import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';
import { dataFolder } from './operator-target.ts';
import { printLines, type Terminal } from './terminal.ts';

interface VerifyFlags {
  readonly data?: string;
}

export function addVerifyCommand(program: Command, terminal: Terminal): void {
  program
    .command('verify')
    .description('verify the data folder of a stopped node; changes nothing')
    .option('--data <DIR>', 'data folder (env: PURSER_DATA, default: ./data)')
    .action(async (flags: VerifyFlags) => {
      const folder = dataFolder(flags.data, terminal.env);
      const { verifyDataFolder } = await import('../persistence/verify.ts');
      const isSound = await verifyDataFolder(
        folder,
        (line: string) => printLines(terminal.stdout, [line]),
        terminal.env.PURSER_MASTER_KEY || undefined,
      );
      if (!isSound) throw new CommandFailure(`verification of ${folder} failed; see the errors above`);
    });
}
