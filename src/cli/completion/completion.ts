/** `purser completion`: a script with which a shell completes the command line. */
import { type Command, InvalidArgumentError } from 'commander';
import { printLines, type Terminal } from '../terminal/terminal.ts';
import { bashCompletion } from './bash-completion.ts';
import { commandTree, type Node } from './command-tree.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

const SCRIPTS: Readonly<Record<string, (nodes: readonly Node[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
const SHELLS = Object.keys(SCRIPTS).join('|');

export function addCompletionCommand(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags in a shell')
    .argument(`<${SHELLS}>`, 'the shell', (shell: string) => {
      const script = SCRIPTS[shell];
      if (script === undefined)
        throw new InvalidArgumentError(`expected one of ${SHELLS.replaceAll('|', ', ')}`);
      return script;
    })
    .action((script: (typeof SCRIPTS)[string]) => {
      printLines(terminal.stdout, [script(commandTree(program)).trimEnd()]);
    });
}
