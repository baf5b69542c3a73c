import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { refuseHalfCluster } from '../config/cluster-options.ts';
import { type Flags, loadConfig } from '../config/config.ts';
import { OPTIONS } from '../config/options.ts';
import { refuseHalfTls } from '../config/tls-options.ts';
import type { Terminal } from './terminal.ts';

export function addServeCommand(program: Command, terminal: Terminal): void {
  const serve = program.command('serve').description('run the node until SIGTERM or SIGINT');
  serve.option('--config <FILE>', 'JSON file with these options (env: PURSER_CONFIG)');
  for (const { name, env, kind, fallback, description } of Object.values(OPTIONS)) {
    const value = kind.placeholder === '' ? '' : ` <${kind.placeholder}>`;
    const origin = fallback === undefined ? `env: ${env}` : `env: ${env}, default: ${fallback}`;
    const flag = [`--${name}${value}`, `${description} (${origin})`] as const;
    if (kind.isRepeatable === true) serve.option(...flag, (text, before: string[] = []) => [...before, text]);
    else serve.option(...flag);
  }
  serve.option('--no-demo', 'no demo, even if the environment or the file enables it');
  serve.action(async (flags: Flags) => {
    const config = loadConfig(flags, terminal.env, (path) => readFileSync(path, 'utf8'));
    refuseHalfCluster(config);
    refuseHalfTls(config);
    // Loaded only now: the other commands must not wait for the engine and the database.
    const main = await import('../main.ts');
    await main.serve(config);
  });
}
