import type { Words } from './words.ts';

/** For zsh 5 and later: in a folder of $fpath, or loaded by \`source <(...)\`. Its first line is for compinit. */
export function zshScript({ root, groups }: Words, head: string): string {
  const branches = groups.map(([name, verbs]) => `    '3 ${name}') words_=(${verbs.join(' ')}) ;;`);
  return `#compdef waybill
${head}
_waybill() {
  local program=$words[1] kind line value
  local -a lines entries
  (( $+commands[$program] )) || [[ -x $program ]] || program=waybill
  lines=("\${(@f)$("$program" __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  kind=$lines[1]
  case $kind in
    values)
      for line in "\${(@)lines[2,-1]}"; do
        value=\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}
        value=\${value//:/\\\\:}
        if [[ $line == *$'\\t'* ]]; then entries+=("$value:\${line#*$'\\t'}"); else entries+=("$value"); fi
      done
      _describe -V waybill entries
      ;;
    files)
      compset -P '--*='
      _files
      ;;
    *) _waybill_words ;;
  esac
}

# The commands, where the program gives no answer.
_waybill_words() {
  local -a words_
  case "$CURRENT $words[2]" in
    '2 '*) words_=(${root.join(' ')}) ;;
${branches.join('\n')}
  esac
  compadd -a words_
}

if [[ $funcstack[1] == _waybill ]]; then _waybill "$@"; else compdef _waybill waybill; fi
`;
}
