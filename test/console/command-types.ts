/**
 * The commands that the console may name, with their flags, off commander's own tree. `write-api-types.ts` puts them into
 * the source, where the compiler holds every command line that a screen shows against them, and a test holds them
 * against the tree.
 */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { commandTree, type Node } from '../../src/cli/completion/command-tree.ts';
import { createProgram } from '../../src/cli/program.ts';
import { repositoryRoot } from '../support/repository-root.ts';

export const COMMAND_TYPES_FILE = join(repositoryRoot(), 'console', 'api', 'command-types.ts');

const HEAD = '// Made from the commands of `purser` by `npm run console:types`: change src/cli instead.\n\n';
/** How a command finds the node, and what it prints: the console has no say in that. */
const LEFT_OUT = new Set(['--operator', '--token', '--data', '--json', '--help']);

/** The text that the file should have. */
export function currentCommandTypes(): string {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const nodes = commandTree(createProgram({ env: {}, stdin, stdout, stderr }));
  return `${HEAD}/** Each with the flags that take a value, and those that take none. */
export interface Commands {
${nodes.filter(callsNode).map(row).join('\n')}
}
`;
}

function callsNode({ flags }: Node): boolean {
  return flags.some(({ names }) => names.includes('--operator'));
}

function row({ path, flags }: Node): string {
  const named = flags.flatMap(({ names: [name = ''], value }) =>
    LEFT_OUT.has(name) ? [] : [{ name: `'${name.slice('--'.length)}'`, takesValue: value !== undefined }],
  );
  const union = (takesValue: boolean) =>
    named
      .filter((flag) => flag.takesValue === takesValue)
      .map(({ name }) => name)
      .join(' | ') || 'never';
  return `  readonly '${path}': readonly [values: ${union(true)}, switches: ${union(false)}];`;
}
