/** Completion for zsh: a file `_purser` on its `fpath`, or sourced. Words are not taken apart at a `=`. */
import { kindOf, type Node } from './command-tree.ts';
import { quoted, summary } from './quoting.ts';

export function zshCompletion(nodes: readonly Node[]): string {
  return `#compdef purser
# Completion of purser for zsh, made by \`purser completion zsh\`.

# What a command is followed by: its commands and flags with what they do, and what its argument is.
_purser_command() {
  commands=() flags=() argument=
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
  file) _files ;;
  folder) _files -/ ;;
  words:*) compadd -- \${=1#words:} ;;
  esac
}

_purser() {
  local at= word kind argument
  local -a commands flags
  integer i=2
  while ((i < CURRENT)); do
    word=$words[i]
    _purser_value "$at" "$word"
    if [[ $word == -* && -n $kind ]]; then
      i+=1
      if ((i >= CURRENT)); then
        _purser_reply "$kind"
        return
      fi
    elif [[ $word != -* ]] && _purser_command "\${at:+$at }$word"; then
      at="\${at:+$at }$word"
    fi
    i+=1
  done
  word=$words[CURRENT]
  if [[ $word == --*=* ]]; then
    _purser_value "$at" "\${word%%=*}"
    compset -P '*='
    _purser_reply "$kind"
    return
  fi
  _purser_command "$at"
  if [[ $word == -* ]]; then
    _describe -o flag flags
  else
    ((\${#commands})) && _describe command commands
    _purser_reply "$argument"
  fi
}

if [[ $funcstack[1] == _purser ]]; then _purser "$@"; else compdef _purser purser; fi
`;
}

function commandCase({ path, commands, flags, argument }: Node): string {
  const ofCommands = commands.map(({ name, description }) => described(name, description));
  const ofFlags = flags.flatMap(({ names, description }) =>
    names.map((name) => described(name, description)),
  );
  return `  ${quoted(path)})
    commands=(${ofCommands.join(' ')})
    flags=(${ofFlags.join(' ')})
    argument=${quoted(kindOf(argument))} ;;`;
}

/** A colon stands between both. */
function described(name: string, description: string): string {
  return quoted(`${name}:${summary(description)}`);
}

function valueCases(nodes: readonly Node[]): string[] {
  return nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) => {
      const patterns = names.map((name) => quoted(`${path} ${name}`));
      return value === undefined ? [] : `  ${patterns.join(' | ')}) kind=${quoted(kindOf(value))} ;;`;
    }),
  );
}
