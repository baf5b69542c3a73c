import type { Command } from 'commander';
import { CommandFailure } from './failure.ts';
import { dataFolder } from './operator-target.ts';
import { printLines, type Terminal } from './terminal.ts';

interface VerifyFlags {
  readonly data?: string;
  readonly json?: boolean;
}

export function addVerifyCommand(program: Command, terminal: Terminal): void {
  program
    .command('verify')
    .description('verify the data folder of a stopped node; changes nothing')
    .option('--data <DIR>', 'data folder (env: PURSER_DATA, default: ./data)')
    .option('--json', 'print the result as one JSON object')
    .action(async (flags: VerifyFlags) => {
      const folder = dataFolder(flags.data, terminal.env);
      const { verifyDataFolder } = await import('../persistence/verify.ts');
      const report: string[] = [];
      const print = (line: string) => {
        if (flags.json === true) report.push(line);
        else printLines(terminal.stdout, [line]);
      };
      const masterKey = terminal.env.PURSER_MASTER_KEY || undefined;
      const isSound = await verifyDataFolder(folder, print, masterKey);
      if (flags.json === true) {
        printLines(terminal.stdout, [JSON.stringify({ dataFolder: folder, sound: isSound, report })]);
      }
      if (!isSound) throw new CommandFailure(`verification of ${folder} failed; see the errors above`);
    });
}
