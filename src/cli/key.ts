import type { Command } from 'commander';
import { id, words } from './argument.ts';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import { printLines, type Terminal } from './terminal.ts';

interface IssueFlags extends ClientFlags {
  readonly scopes?: readonly string[];
}

export function addKeyCommands(program: Command, terminal: Terminal): void {
  const key = program.command('key').description("an account's API key");
  clientCommand(key, 'issue', 'make a new key; the previous one stops working at once')
    .argument('<account>', 'account id', id)
    .option('--scopes <SCOPE,…>', 'what the key may do (default: everything)', words)
    .action(async (accountId: number, flags: IssueFlags) => {
      const body = flags.scopes === undefined ? {} : { scopes: flags.scopes };
      await callAndPrint(terminal, flags, { method: 'POST', path: `/accounts/${accountId}/key`, body });
      printLines(terminal.stderr, ['The key is not shown again.']);
    });
  clientCommand(key, 'revoke', 'make the key stop working at once')
    .argument('<account>', 'account id', id)
    .action((accountId: number, flags: ClientFlags) =>
      callAndPrint(terminal, flags, { method: 'DELETE', path: `/accounts/${accountId}/key` }),
    );
}
