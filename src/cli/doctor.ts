/** `purser doctor`: what a node would meet on this machine, with its own settings. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Flags, loadConfig } from '../config/config.ts';
import { refuseHalfTls } from '../config/tls-options.ts';
import { addNodeOptions } from './node-options.ts';
import { CommandFailure } from './terminal/failure.ts';
import { printLines, type Terminal, visible } from './terminal/terminal.ts';

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .description(
      'check this machine and the data folder for a node with these settings, also beside a running one',
    );
  addNodeOptions(command)
    .option(
      '--master-key-copy <FILE>',
      'copy of the master key, kept elsewhere: it is held against the folder',
    )
    .option('--json', 'print the result as one JSON object');
  command.action(async (flags: Flags) => {
    const { env } = terminal;
    const config = loadConfig(flags, env, (path) => readFileSync(path, 'utf8'));
    refuseHalfTls(config);
    const { masterKeyCopy, json } = flags;
    const { examine, reportLines } = await import('../doctor/doctor.ts');
    const checks = await examine({
      config,
      env,
      masterKeyCopy: typeof masterKeyCopy === 'string' ? resolve(masterKeyCopy) : undefined,
    });
    const lines =
      json === true ? [JSON.stringify({ checks })] : reportLines(checks).map((line) => visible(line));
    printLines(terminal.stdout, lines);
    const count = checks.filter(({ state }) => state === 'failed').length;
    if (count > 0) throw new CommandFailure(`${count} of ${checks.length} checks failed`);
  });
}
