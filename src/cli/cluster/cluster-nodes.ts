/** `purser cluster status` and `handover`: what is asked of a running node, any one of the cluster. */
import type { Command } from 'commander';
import { ClientCommands, table } from '../calls/client-commands.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function addClusterNodeCommands(cluster: Command, terminal: Terminal): void {
  const commands = new ClientCommands(cluster, terminal);
  commands.read(
    'status',
    'show who leads, and how far each node has come',
    () => ['GET', '/cluster'],
    table('nodes', ['node', 'role', 'applied', 'url']),
  );
  commands.call(
    'handover',
    'have another node lead; the one that leads ends, and its unit starts it again',
    () => ['POST', '/cluster/handover', {}],
  );
}
