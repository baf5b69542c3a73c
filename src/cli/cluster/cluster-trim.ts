/** `purser cluster trim`: has a node remove old entries of the log, and follows it to the end. */
import type { Command } from 'commander';
import { ClientCommands, type ClientFlags } from '../calls/client-commands.ts';
import { type FollowedJob, followJob } from '../follow-job.ts';
import type { Terminal } from '../terminal/terminal.ts';

const TRIM: FollowedJob = {
  name: 'the trim',
  // The node answers after some seconds, also when it is not done.
  begin: { method: 'POST', path: '/cluster/trim', body: {} },
  see: (body) => (body.state === 'running' ? { does: 'the node goes on' } : { outcome: body }),
};

export function addClusterTrimCommand(cluster: Command, terminal: Terminal): void {
  new ClientCommands(cluster, terminal)
    .command('trim', 'remove entries of the log that no node needs; any node of it does')
    .action((flags: ClientFlags) => followJob(terminal, flags, TRIM));
}
