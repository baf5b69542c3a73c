import type { Command } from 'commander';
import { amount } from './argument.ts';
import { ClientCommands } from './client-commands.ts';
import type { Terminal } from './terminal.ts';

export function addWalletCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('wallet').description("an account's prepaid balance");
  new ClientCommands(parent, terminal)
    .call(
      'credit <account>',
      'add money; one reference is credited only once',
      (id: number, amountUsdt: number, { reference }: { readonly reference: string }) => {
        return ['POST', `/accounts/${id}/credits`, { amountUsdt, reference }];
      },
    )
    .argument('<amount>', 'USDT; a negative amount is a debit, never below zero', amount)
    .requiredOption('--reference <REF>', 'what the credit is for, such as a transaction id');
}
