/** The command line as completion needs it, read off commander's own tree: so it never lacks a command or a flag. */
import type { Command, Help, Option } from 'commander';

/** The words that can stand in a place: those of a choice, or those that the shell knows of by itself. */
export type Completed = 'file' | 'folder' | 'anything' | readonly string[];

export interface Flag {
  /** `--data`, and `-h` where there is one. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined: it takes no value. */
  readonly value: Completed | undefined;
}

export interface Node {
  /** The words that lead to it, such as `stock add`; empty of the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  /** The words for one of its arguments; undefined when the shell knows of none. */
  readonly argument: Completed | undefined;
}

/** The program and all commands below it, each behind the one that it belongs to. */
export function commandTree(program: Command): Node[] {
  return nodesBelow(program, '', program.createHelp());
}

function nodesBelow(command: Command, path: string, help: Help): Node[] {
  const below = help.visibleCommands(command);
  const completed = command.registeredArguments.map((argument) => completedBy(argument.name()));
  const node: Node = {
    path,
    commands: below.map((each) => ({ name: each.name(), description: each.description() })),
    flags: help.visibleOptions(command).map(flagOf),
    argument: completed.find((each) => each !== 'anything'),
  };
  return [node, ...below.flatMap((each) => nodesBelow(each, `${path} ${each.name()}`.trimStart(), help))];
}

function flagOf({ long, short, flags, description, required, optional }: Option): Flag {
  const [, placeholder = ''] = /[<[](.+)[>\]]/.exec(flags) ?? [];
  return {
    names: [long, short].flatMap((name) => name ?? []),
    description,
    value: required || optional ? completedBy(placeholder) : undefined,
  };
}

/** The words for a value, by its placeholder in the help. */
function completedBy(placeholder: string): Completed {
  const words = placeholder.split('|');
  if (words.length > 1 && words.every((word) => /^[a-z-]+$/.test(word))) return words;
  if (/^(dir|folder)$/i.test(placeholder)) return 'folder';
  return /^(file|target|source)$/i.test(placeholder) ? 'file' : 'anything';
}

/** The kind of words as one word of a script, which begins with `words:` when it is a choice; empty: nothing. */
export function kindOf(value: Completed | undefined): string {
  if (value === undefined || typeof value === 'string') return value ?? '';
  return `words:${value.join(' ')}`;
}
