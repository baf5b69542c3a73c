/** `purser session`: who is signed in at the console. */
import type { Command } from 'commander';
import { ClientCommands, table } from './calls/client-commands.ts';
import type { Terminal } from './terminal/terminal.ts';

const COLUMNS = 'sessionId operator role createdAt lastUsedAt expiresAt'.split(' ');

export function addSessionCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('session').description('who is signed in at the console');
  const session = new ClientCommands(parent, terminal);
  session.read(
    'list',
    'list your sessions; of all operators, if you are an owner',
    () => ['GET', '/sessions'],
    table('sessions', COLUMNS),
  );
  session.call('end <session>', 'end a session at once', (id: number) => ['DELETE', `/sessions/${id}`]);
}
