/** `purser cluster trim`: has a node remove old entries of the log, and waits for the end. */
import type { Command } from 'commander';
import { ClientCommands, type ClientFlags, connect, printAnswer } from './client-commands.ts';
import type { Terminal } from './terminal.ts';

export function addClusterTrimCommand(cluster: Command, terminal: Terminal): void {
  const commands = new ClientCommands(cluster, terminal);
  const command = commands.command(
    'trim',
    'remove entries of the log that no node needs; any node of it does',
  );
  command.action(async (flags: ClientFlags) => {
    const client = await connect(terminal, flags);
    for (;;) {
      // It answers after some seconds, also when it is not done.
      const answer = await client.call({ method: 'POST', path: '/cluster/trim', body: {} });
      if (answer.body.state === 'running') continue;
      printAnswer(terminal, flags, answer);
      return;
    }
  });
}
