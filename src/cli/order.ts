import type { Command } from 'commander';
import { id } from './argument.ts';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import type { Terminal } from './terminal.ts';

export function addOrderCommands(program: Command, terminal: Terminal): void {
  const order = program.command('order').description('what was bought');
  clientCommand(order, 'show', 'one order')
    .argument('<order>', 'order id', id)
    .action((orderId: number, flags: ClientFlags) =>
      callAndPrint(terminal, flags, { method: 'GET', path: `/orders/${orderId}` }),
    );
}
