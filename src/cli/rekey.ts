/**
 * `purser rekey`: a new master key, at a running node. The key is read here, from a file, and sent to the node: never
 * from a flag, which others could see. `purser rekey save FILE` writes the one that the node's key file has into a file that
 * only its owner may read, and prints nothing of it.
 */
import type { Command } from 'commander';
import { ClientCommands, type ClientFlags, connect, printAnswer } from './calls/client-commands.ts';
import { openItemSink } from './stock/item-sink.ts';
import { readText } from './stock/item-source.ts';
import { fieldLines } from './terminal/answer-text.ts';
import type { Terminal } from './terminal/terminal.ts';

interface RekeyFlags extends ClientFlags {
  readonly newKeyFile?: string;
}

export function addRekeyCommand(program: Command, terminal: Terminal): void {
  const commands = new ClientCommands(program, terminal);
  const command = commands.command('rekey', 'change the master key of a running node');
  addSaving(command, terminal);
  command
    .usage('[options] | save FILE')
    // What stands behind `save` is for that.
    .enablePositionalOptions()
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

function addSaving(rekey: Command, terminal: Terminal): void {
  const commands = new ClientCommands(rekey, terminal);
  commands
    .command(
      'save',
      'write the master key of a running node into a new file, to be kept elsewhere; once for each key',
    )
    .argument('<FILE>', 'new file, which only you may read')
    .action(async (path: string, flags: ClientFlags) => {
      const client = await connect(terminal, flags);
      const again = 'it is in the file master-key of the data folder';
      const sink = openItemSink(path, terminal, again, ['key is', 'given']);
      try {
        const { body } = await client.call({ method: 'POST', path: '/rekey/save', body: {} });
        const { masterKey, ...others } = body;
        await sink.write([String(masterKey)]);
        printAnswer(terminal, flags, { text: JSON.stringify(others), body: others });
      } finally {
        sink.close();
      }
    });
}
