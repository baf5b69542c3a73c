/**
 * The commands that the console may name, with their flags, off commander's own tree. `write-api-types.ts` puts them into
 * the source, where the compiler holds every command line that a screen shows against them, and a test holds them
 * against the tree.
 */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { repositoryRoot } from '../support/repository-root.ts';

export const COMMAND_TYPES_FILE = join(repositoryRoot(), 'console', 'api', 'command-types.ts');

const HEAD = '// Made from the commands of `purser` by `npm run console:types`: change src/cli instead.\n\n';
/** How a command finds the node, and what it prints: the console has no say in that. */
const LEFT_OUT = new Set(['--operator', '--token', '--data', '--json', '--help']);

/** The text that the file should have. */
export function currentCommandTypes(): string {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const nodes = nodesBelow(createProgram({ env: {}, stdin, stdout, stderr }), '');
  return `${HEAD}/** Each with the flags that take a value, and those that take none. */
export interface Commands {
${nodes.filter(callsNode).map(row).join('\n')}
}
`;
}

interface Node {
  /** The words that lead to it, such as `stock add`; empty of the program itself. */
  readonly path: string;
  readonly flags: readonly { readonly name: string; readonly takesValue: boolean }[];
}

function nodesBelow(command: Command, path: string): Node[] {
  const help = command.createHelp();
  const flags = help.visibleOptions(command).map(({ long, required, optional }) => ({
    name: long ?? '',
    takesValue: required || optional,
  }));
  const below = help.visibleCommands(command);
  return [
    { path, flags },
    ...below.flatMap((each) => nodesBelow(each, `${path} ${each.name()}`.trimStart())),
  ];
}

function callsNode({ flags }: Node): boolean {
  return flags.some(({ name }) => name === '--operator');
}

function row({ path, flags }: Node): string {
  const named = flags.filter(({ name }) => !LEFT_OUT.has(name));
  const union = (takesValue: boolean) =>
    named
      .filter((flag) => flag.takesValue === takesValue)
      .map(({ name }) => `'${name.slice('--'.length)}'`)
      .join(' | ') || 'never';
  return `  readonly '${path}': readonly [values: ${union(true)}, switches: ${union(false)}];`;
}
