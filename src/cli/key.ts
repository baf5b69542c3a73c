import type { Command } from 'commander';
import { words } from './argument.ts';
import { ClientCommands } from './client-commands.ts';
import { printLines, type Terminal } from './terminal.ts';

export function addKeyCommands(program: Command, terminal: Terminal): void {
  const key = new ClientCommands(program.command('key').description("an account's API key"), terminal);
  key
    .call(
      'issue <account>',
      'create a new key; the previous one stops working at once',
      (id: number, { scopes }: { readonly scopes?: readonly string[] }) => [
        'POST',
        `/accounts/${id}/key`,
        { scopes },
      ],
    )
    .option('--scopes <SCOPE,…>', 'what the key may do (default: everything)', words)
    .hook('postAction', () => printLines(terminal.stderr, ['This key is shown only once.']));
  key.call('revoke <account>', 'revoke the key; it stops working at once', (id: number) => {
    return ['DELETE', `/accounts/${id}/key`];
  });
}
