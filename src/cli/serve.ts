import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { refuseHalfCluster } from '../config/cluster-options.ts';
import { type Flags, loadConfig } from '../config/config.ts';
import { refuseHalfTls } from '../config/tls-options.ts';
import { addNodeOptions } from './node-options.ts';
import type { Terminal } from './terminal/terminal.ts';

export function addServeCommand(program: Command, terminal: Terminal): void {
  const serve = program.command('serve').description('run the node until SIGTERM or SIGINT');
  addNodeOptions(serve).action(async (flags: Flags) => {
    const config = loadConfig(flags, terminal.env, (path) => readFileSync(path, 'utf8'));
    refuseHalfCluster(config);
    refuseHalfTls(config);
    // Loaded only now: the other commands must not wait for the engine and the database.
    const main = await import('../main.ts');
    await main.serve(config);
  });
}
