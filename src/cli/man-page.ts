/**
 * `purser man`: the manual page, made of commander's own tree: so it never lacks a command, a flag or a variable.
 *
 * One page for all commands, as completion is one script: whoever looks for a flag searches in one place.
 */
import type { Command, Help } from 'commander';
import { OPTIONS } from '../config/options.ts';
import { FOREIGN_VARIABLES, OWN_VARIABLES } from '../config/variables.ts';
import { PURSER_VERSION } from '../version.ts';
import { printLines, type Terminal } from './terminal.ts';

interface Entry {
  readonly term: string;
  readonly description: string;
}

const FILES: readonly Entry[] = [
  { term: '/var/lib/purser', description: 'data folder of the service' },
  {
    term: '/etc/purser/environment',
    description: 'secrets of the service, a variable a line; without the master key the stock cannot be read',
  },
  { term: '/etc/purser/purser.json', description: 'settings of the service that a Debian package installed' },
];
const EXIT_CODES: readonly Entry[] = [
  { term: '0', description: 'success' },
  { term: '1', description: 'failure' },
  { term: '2', description: 'wrong command line or configuration' },
  { term: '3', description: 'the data folder cannot be verified because a node has it' },
];

export function addManCommand(program: Command, terminal: Terminal): void {
  program
    .command('man')
    .description('print the manual page (to read it: purser man | man -l -)')
    .action(() => printLines(terminal.stdout, [manPage(program).trimEnd()]));
}

/** For `man`, in its own language. */
export function manPage(program: Command): string {
  const help = program.createHelp();
  const ofFlags = Object.values(OPTIONS).map(({ name, env, description }) => ({
    name: env,
    description: `${description} (flag --${name})`,
  }));
  const variables = [...OWN_VARIABLES, ...ofFlags, ...FOREIGN_VARIABLES];
  return [
    `.TH PURSER 1 "" "Purser ${PURSER_VERSION}" "User Commands"`,
    '.SH NAME',
    `purser \\- ${escaped(sentence(program.description()))}`,
    '.SH SYNOPSIS',
    '.B purser',
    '.I command',
    '.RI [ options ]',
    '.SH COMMANDS',
    ...commandsBelow(program, help).flatMap((command) => commandLines(command, help)),
    '.SH OPTIONS',
    ...entryLines(optionsOf(program, help)),
    '.SH ENVIRONMENT',
    ...entryLines(variables.map(({ name, description }) => ({ term: name, description }))),
    '.SH FILES',
    ...entryLines(FILES),
    '.SH EXIT STATUS',
    ...entryLines(EXIT_CODES),
    '',
  ].join('\n');
}

/** All that do something, in the order of the help. */
function commandsBelow(command: Command, help: Help): Command[] {
  const below = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  return below.flatMap((each) => [each, ...commandsBelow(each, help)]);
}

function commandLines(command: Command, help: Help): string[] {
  const passed = help.visibleArguments(command).map((argument) => ({
    term: help.argumentTerm(argument),
    description: help.argumentDescription(argument),
  }));
  return [
    `.SS "${escaped(help.commandUsage(command))}"`,
    ...paragraph(command.description()),
    ...entryLines([...passed, ...optionsOf(command, help)]),
  ];
}

function optionsOf(command: Command, help: Help): Entry[] {
  return help.visibleOptions(command).map((option) => ({
    term: help.optionTerm(option),
    description: help.optionDescription(option),
  }));
}

function entryLines(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ term, description }) => [
    '.TP',
    `.B "${escaped(term)}"`,
    ...paragraph(description),
  ]);
}

/** Lines of a text; none of them begins as a request does. */
function paragraph(text: string): string[] {
  return escaped(text)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/^\s*(?=[.'])/, '\\&'));
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;
}

/** A hyphen as it is typed, not as it is printed. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq');
}
