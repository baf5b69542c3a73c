import type { Command } from 'commander';
import { type ClientFlags, callAndPrint, clientCommand } from './client-command.ts';
import type { Terminal } from './terminal.ts';

export function addStatusCommand(program: Command, terminal: Terminal): void {
  clientCommand(program, 'status', 'how the node is doing').action((flags: ClientFlags) =>
    callAndPrint(terminal, flags, { method: 'GET', path: '/status' }),
  );
}
