import type { Command } from 'commander';
import { DataFolderError } from '../persistence/folder/data-folder-error.ts';
import type { Proved } from '../persistence/verify.ts';
import { dataFolder } from './calls/operator-target.ts';
import { logSettings, withLog } from './cluster/cluster-folder.ts';
import { CommandFailure, EXIT_UNSEEN } from './terminal/failure.ts';
import { printLines, type Terminal } from './terminal/terminal.ts';

interface VerifyFlags {
  readonly data?: string;
  readonly log?: string;
  readonly logPasswordFile?: string;
  readonly json?: boolean;
}

export function addVerifyCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('verify')
    .description(
      "verify the data folder of a stopped node, with --log against its cluster's log; changes no file of it",
    );
  withLog(command)
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
      const printResult = (
        result: { readonly sound: boolean } | { readonly inUse: true } | { readonly unseen: string },
      ) => {
        if (flags.json !== true) return;
        printLines(terminal.stdout, [JSON.stringify({ dataFolder: folder, ...result, report })]);
      };
      const masterKey = terminal.env.PURSER_MASTER_KEY || undefined;
      let isSound: boolean;
      try {
        const also = flags.log === undefined ? undefined : await againstLog(folder, flags, print);
        isSound = await verifyDataFolder(folder, print, masterKey, { also });
      } catch (error) {
        if (DataFolderError.is(error, 'unseen')) {
          printResult({ unseen: error.message });
          throw new CommandFailure(`nothing is known of ${folder}: ${error.message}`, {
            exitCode: EXIT_UNSEEN,
          });
        }
        if (!DataFolderError.is(error, 'in-use')) throw error;
        printResult({ inUse: true });
        const who = `a running purser (pid ${error.pid})`;
        throw new CommandFailure(
          `nothing is known of ${folder}: it is in use by ${who}; stop that, or verify a copy`,
          { exitCode: EXIT_UNSEEN },
        );
      }
      printResult({ sound: isSound });
      if (!isSound) throw new CommandFailure(`verification of ${folder} failed; see the errors above`);
    });
}

/** The proofs that `--log` adds for a folder that is sound. */
async function againstLog(folder: string, flags: VerifyFlags, print: (line: string) => void) {
  const settings = await logSettings(flags);
  const { verifyAgainstLog } = await import('../cluster/log-check.ts');
  const { stateDigest } = await import('../persistence/state-digest.ts');
  return async (proved: Proved, view: string) => {
    print(`digest: ${stateDigest(proved)} at ${proved.head.position}`);
    print(await verifyAgainstLog(settings, { folder, view, head: proved.head }));
  };
}
