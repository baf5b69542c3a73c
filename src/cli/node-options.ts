/** The flags of a node, for every command that takes its settings. */
import type { Command } from 'commander';
import { OPTIONS } from '../config/options.ts';
import { variablesHelp } from '../config/variables.ts';

export function addNodeOptions(command: Command): Command {
  command.option('--config <FILE>', 'JSON file with these options (env: PURSER_CONFIG)');
  for (const { name, env, kind, fallback, description } of Object.values(OPTIONS)) {
    const value = kind.placeholder === '' ? '' : ` <${kind.placeholder}>`;
    const origin = fallback === undefined ? `env: ${env}` : `env: ${env}, default: ${fallback}`;
    const flag = [`--${name}${value}`, `${description} (${origin})`] as const;
    if (kind.isRepeatable === true)
      command.option(...flag, (text, before: string[] = []) => [...before, text]);
    else command.option(...flag);
  }
  return command
    .option('--no-demo', 'no demo, even if the environment or the file enables it')
    .addHelpText('after', variablesHelp(true));
}
