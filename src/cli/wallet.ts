import type { Command } from 'commander';
import { amount, id } from './argument.ts';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import type { Terminal } from './terminal.ts';

interface CreditFlags extends ClientFlags {
  readonly reference: string;
}

export function addWalletCommands(program: Command, terminal: Terminal): void {
  const wallet = program.command('wallet').description("an account's prepaid balance");
  clientCommand(wallet, 'credit', 'add money; the same reference never adds twice')
    .argument('<account>', 'account id', id)
    .argument('<amount>', 'USDT; a negative amount takes away, never below zero', amount)
    .requiredOption('--reference <REF>', 'what the credit rests on, such as a transaction id')
    .action((accountId: number, amountUsdt: number, flags: CreditFlags) =>
      callAndPrint(terminal, flags, {
        method: 'POST',
        path: `/accounts/${accountId}/credits`,
        body: { amountUsdt, reference: flags.reference },
      }),
    );
}
