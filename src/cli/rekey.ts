/**
 * `purser rekey`: a new master key, at a running node. The key is read here, from a file, and sent to the node: never
 * from a flag, which others could see.
 */
import type { Command } from 'commander';
import { ClientCommands, type ClientFlags, connect } from './calls/client-commands.ts';
import { readText } from './stock/item-source.ts';
import { fieldLines } from './terminal/answer-text.ts';
import type { Terminal } from './terminal/terminal.ts';

interface RekeyFlags extends ClientFlags {
  readonly newKeyFile?: string;
}

export function addRekeyCommand(program: Command, terminal: Terminal): void {
  const commands = new ClientCommands(program, terminal);
  const command = commands.command('rekey', 'change the master key of a running node');
  command
    .option('--new-key-file <FILE>', 'file with the new master key, 32 bytes in base64 (`-`: standard input)')
    .action(async ({ newKeyFile, ...flags }: RekeyFlags) => {
      const newKey =
        newKeyFile === undefined ? undefined : (await readText(newKeyFile, terminal.stdin)).trim();
      const client = await connect(terminal, flags);
      const body = newKey === undefined ? {} : { newKey };
      const answer = await client.call({ method: 'POST', path: '/rekey', body });
      commands.answerWith(command, answer, fieldLines);
    });
}
