/**
 * Completion for bash, without the package bash-completion. The script knows all words, so that no key press starts the
 * program.
 *
 * bash takes `--flag=value` apart at the `=`, which is then a word of its own.
 */
import { kindOf, type Node } from './command-tree.ts';
import { quoted } from './quoting.ts';

export function bashCompletion(nodes: readonly Node[]): string {
  return `# Completion of purser for bash, made by \`purser completion bash\`.

# What a command is followed by: its commands, its flags, and what its argument is.
_purser_command() {
  commands= flags= argument=
  case $1 in
${nodes.map(commandCase).join('\n')}
  *) return 1 ;;
  esac
}

# What a flag of a command is followed by; empty when it takes no value.
_purser_value() {
  case "$1 $2" in
${valueCases(nodes).join('\n')}
  *) kind= ;;
  esac
}

_purser_reply() {
  case $1 in
  file | folder)
    compopt -o filenames 2>/dev/null
    local action=-f
    [[ $1 == folder ]] && action=-d
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen $action -- "$cur")
    ;;
  words:*) COMPREPLY+=($(compgen -W "\${1#words:}" -- "$cur")) ;;
  esac
}

_purser() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at= word kind commands flags argument i=1
  COMPREPLY=()
  [[ $cur == '=' ]] && cur=
  while ((i < COMP_CWORD)); do
    word=\${COMP_WORDS[i]}
    _purser_value "$at" "$word"
    if [[ $word == -* && -n $kind ]]; then
      i=$((i + 1))
      [[ \${COMP_WORDS[i]} == '=' ]] && i=$((i + 1))
      if ((i >= COMP_CWORD)); then
        _purser_reply "$kind"
        return
      fi
    elif [[ $word != -* ]] && _purser_command "\${at:+$at }$word"; then
      at=\${at:+$at }$word
    fi
    i=$((i + 1))
  done
  _purser_command "$at"
  if [[ $cur == -* ]]; then
    _purser_reply "words:$flags"
  else
    _purser_reply "words:$commands"
    _purser_reply "$argument"
  fi
}

complete -F _purser purser
`;
}

function commandCase({ path, commands, flags, argument }: Node): string {
  const words = [
    `commands=${quoted(commands.map(({ name }) => name).join(' '))}`,
    `flags=${quoted(flags.flatMap(({ names }) => names).join(' '))}`,
    `argument=${quoted(kindOf(argument))}`,
  ];
  return `  ${quoted(path)}) ${words.join(' ')} ;;`;
}

function valueCases(nodes: readonly Node[]): string[] {
  const byKind = new Map<string, string[]>();
  for (const { path, flags } of nodes) {
    for (const { names, value } of flags) {
      if (value === undefined) continue;
      const kind = kindOf(value);
      byKind.set(kind, [...(byKind.get(kind) ?? []), ...names.map((name) => quoted(`${path} ${name}`))]);
    }
  }
  return [...byKind].map(([kind, patterns]) => `  ${patterns.join(' | ')}) kind=${quoted(kind)} ;;`);
}
