# Completion of waybill, made from its command tree:
# `waybill completion bash` prints it.

_waybill() {
  local program=$1 kind='' line
  type -P -- "$program" >/dev/null || program=waybill
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" __complete --bash "$COMP_TYPE" "${COLUMNS:-80}" "$COMP_WORDBREAKS" -- \
    "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    values) compopt -o nosort 2>/dev/null ;;
    files) compopt -o default -o filenames 2>/dev/null || _waybill_offer -f ;;
    *) _waybill_words ;;
  esac
}

# The commands, where the program gives no answer.
_waybill_words() {
  local words=''
  case "$COMP_CWORD ${COMP_WORDS[1]}" in
    '1 '*) words='orders routes quotes batches deliveries events webhooks charges disputes stores couriers drivers sandbox profiles config keys admin audit secrets start new ship dispatch listen today report notes board track serve migrate backup restore doctor login logout whoami completion api mcp openapi commands help find explain where proof watch edit note cancel retry wait reschedule assign' ;;
    '2 orders') words='create import list get wait attempts cancel' ;;
    '2 routes') words='create list get delete quote' ;;
    '2 quotes') words='list wait' ;;
    '2 batches') words='list get wait cancel' ;;
    '2 deliveries') words='list get explain watch wait quote create initiate assign report unlock edit reschedule cancel retry note dispute' ;;
    '2 events') words='list get tail resend' ;;
    '2 webhooks') words='create list get update delete rotate-secret test attempts verify' ;;
    '2 charges') words='list' ;;
    '2 disputes') words='list get resolve' ;;
    '2 stores') words='create list get update pause resume delete' ;;
    '2 couriers') words='list connect check enable disable remove' ;;
    '2 drivers') words='add list get update link prices remove' ;;
    '2 sandbox') words='clock advance scenarios scenario steps step provider reset' ;;
    '2 profiles') words='list use create delete' ;;
    '2 config') words='list get set unset' ;;
    '2 keys') words='create list revoke' ;;
    '2 admin') words='accounts erase export clean failed' ;;
    '2 audit') words='list' ;;
    '2 secrets') words='status rotate' ;;
  esac
  _waybill_offer -W "$words"
}

# What compgen finds, a word a line.
_waybill_offer() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@" -- "${COMP_WORDS[COMP_CWORD]}")
}

complete -F _waybill waybill
