import type { Words } from './words.ts';

/** The script for bash 3.2 or later, with or without the package bash-completion. */
export function bashScript({ root, groups }: Words, head: string): string {
  const branches = groups.map(([name, verbs]) => `    ${name}) words='${verbs.join(' ')}' ;;`);
  return `${head}
_waybill() {
  local program=$1 kind= line
  type -P -- "$program" >/dev/null || program=waybill
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" __complete --bash "$COMP_TYPE" "\${COLUMNS:-80}" "$COMP_WORDBREAKS" -- \\
    "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    values) compopt -o nosort 2>/dev/null ;;
    files) compopt -o default -o filenames 2>/dev/null || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")) ;;
    *) _waybill_words ;;
  esac
}

# The commands, where the program gives no answer.
_waybill_words() {
  local words=
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
    '1 '*) words='${root.join(' ')}' ;;
${branches.map((branch) => branch.replace(/^ {4}(\S+)\)/, "    '2 $1')")).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}

complete -F _waybill waybill
`;
}
