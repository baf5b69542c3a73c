/**
 * Programs beside the node that `purser install-service` makes units of: commands of this program that run for ever, with
 * a folder of their own, and a token of the node in a file.
 *
 * The flags behind `install-service --watcher` are those of the command, and are read by the command's own definition.
 * Such a unit has no file of secrets: what lies in the node's opens all that the node has sealed.
 */
import { Command } from 'commander';
import { addBotCommand } from '../bot.ts';
import { addDepositCommands } from '../deposits/deposits.ts';
import { usageError } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ServiceFlags } from './service-settings.ts';
import { STATE, type UnitSettings } from './unit.ts';

export interface Companion {
  /** The flag of `install-service`, and the end of the unit's name. */
  readonly name: string;
  /** The command, as its words. */
  readonly command: readonly [string, ...string[]];
  readonly description: string;
  /** Flags that name files, which the command reads. */
  readonly files: readonly string[];
  /** Adds the command to a program. */
  readonly add: (program: Command, terminal: Terminal) => void;
}

export const COMPANIONS: readonly Companion[] = [
  {
    name: 'watcher',
    command: ['deposits', 'watch'],
    description: 'Purser, the watcher of deposits',
    files: ['--token-file', '--api-key-file'],
    add: addDepositCommands,
  },
  {
    name: 'bot',
    command: ['bot'],
    description: 'Purser, the chat bot',
    files: ['--telegram-token-file', '--token-file'],
    add: addBotCommand,
  },
];

/** Throws when the command would refuse the words, and where they would give a secret away. */
export function companionSettings(
  companion: Companion,
  given: readonly string[],
  flags: ServiceFlags,
  terminal: Terminal,
): UnitSettings {
  const { name, command, description, files } = companion;
  const parts = given.flatMap(separated);
  const words = parts.includes('--state') ? parts : [...parts, '--state', `${STATE}purser-${name}`];
  const flagOf = readWords(companion, words, terminal);
  if (flagOf('--token') !== undefined)
    throw usageError(
      '--token: everybody can read a unit; put it into a file, and name that with --token-file',
    );
  for (const flag of ['--operator', '--token-file'])
    if (flagOf(flag) === undefined) throw usageError(`${flag}: the service needs it`);
  for (const flag of [...files, '--state'])
    if (flagOf(flag)?.startsWith('/') === false) throw usageError(`${flag}: expected a whole path`);
  return {
    ...flags,
    name: `purser-${name}`,
    description,
    args: [...command, ...words],
    dataDir: flagOf('--state') ?? '',
    writable: [],
    hasLowPort: false,
  };
}

/** `--flag=value` as two words. */
function separated(word: string): string[] {
  const [, flag, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
  return flag === undefined || value === undefined ? [word] : [flag, value];
}

/** The values of flags, as the command reads them; it isn't run. */
function readWords(
  { command, add }: Companion,
  words: readonly string[],
  terminal: Terminal,
): (flag: string) => string | undefined {
  const program = new Command('purser').exitOverride().configureOutput({
    writeOut: (text) => terminal.stdout.write(text),
    writeErr: (text) => terminal.stderr.write(text),
  });
  add(program, terminal);
  let found = program;
  for (const word of command) found = found.commands.find((each) => each.name() === word) ?? found;
  found.action(() => {}).parse([...words], { from: 'user' });
  return (flag) => {
    const option = found.options.find(({ long }) => long === flag);
    const value = option && found.getOptionValue(option.attributeName());
    return value === undefined ? undefined : String(value);
  };
}
