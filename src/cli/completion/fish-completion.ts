/** Completion for fish: a file `purser.fish` in its folder `completions`. */
import type { Completed, Node } from './command-tree.ts';
import { quotedForFish, summary } from './quoting.ts';

export function fishCompletion(nodes: readonly Node[]): string {
  const valued = nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) => (value === undefined ? [] : names.map((name) => `${path} ${name}`))),
  );
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '');
  return `# Completion of purser for fish, made by \`purser completion fish\`.

# Whether the words so far lead to this command.
function __purser_at
  set -l at
  set -l words (commandline -opc)
  set -l i 2
  while test $i -le (count $words)
    if contains -- "$at $words[$i]" ${valued.map(quotedForFish).join(' ')}
      set i (math $i + 1)
    else if contains -- (string trim -- "$at $words[$i]") ${paths.map(quotedForFish).join(' ')}
      set at (string trim -- "$at $words[$i]")
    end
    set i (math $i + 1)
  end
  test "$at" = "$argv[1]"
end

complete -c purser -f
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, flags, argument }: Node): string[] {
  const begin = `complete -c purser -n ${quotedForFish(`__purser_at ${quotedForFish(path)}`)}`;
  const ofCommands = commands.map(
    ({ name, description }) => `${begin} -a ${name} -d ${quotedForFish(summary(description))}`,
  );
  const ofFlags = flags.map(({ names, description, value }) => {
    const named = names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    );
    return [begin, ...named, ...valueWords(value), `-d ${quotedForFish(summary(description))}`].join(' ');
  });
  return [...ofCommands, ...ofFlags, ...(argument === undefined ? [] : argumentLines(begin, argument))];
}

function valueWords(value: Completed | undefined): string[] {
  if (value === undefined) return [];
  if (value === 'file') return ['-r', '-F'];
  if (value === 'folder') return ['-x', `-a ${quotedForFish('(__fish_complete_directories)')}`];
  return value === 'anything' ? ['-x'] : ['-x', `-a ${quotedForFish(value.join(' '))}`];
}

function argumentLines(begin: string, argument: Completed): string[] {
  if (argument === 'file') return [`${begin} -F`];
  const words = typeof argument === 'string' ? '(__fish_complete_directories)' : argument.join(' ');
  return [`${begin} -a ${quotedForFish(words)}`];
}
