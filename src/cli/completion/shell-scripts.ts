/** The completion scripts for bash, zsh, fish and PowerShell. */
import type { CommandTree } from '../kit/args/command-input.ts';
import { shortcuts } from '../records.ts';

/**
 * Creates a shell's completion script. It runs the program for each completion, and falls back to the names of the tree
 * if that fails.
 */
export function completionScript(shell: Shell, { groups, singles }: CommandTree): string {
  const words: Words = {
    root: [...[...groups, ...singles].map(({ name }) => name), ...Object.keys(shortcuts)],
    groups: groups.map(({ name, verbs }) => [name, Object.keys(verbs)]),
  };
  const head = `# ${mark}\n# \`waybill completion ${shell}\` prints it.\n`;
  const makers = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };
  return makers[shell](words, head);
}

/** The script for bash 3.2 or later, with or without the package bash-completion. */
function bashScript({ root, groups }: Words, head: string): string {
  const branches = groups.map(([name, verbs]) => `    ${name}) words='${verbs.join(' ')}' ;;`);
  return `${head}
_waybill() {
  local program=$1 kind='' line
  type -P -- "$program" >/dev/null || program=waybill
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" __complete --bash "$COMP_TYPE" "\${COLUMNS:-80}" "$COMP_WORDBREAKS" -- \\
    "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    values) compopt -o nosort 2>/dev/null ;;
    files) compopt -o default -o filenames 2>/dev/null || _waybill_offer -f ;;
    *) _waybill_words ;;
  esac
}

# The commands, where the program gives no answer.
_waybill_words() {
  local words=''
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
    '1 '*) words='${root.join(' ')}' ;;
${branches.map((branch) => branch.replace(/^ {4}(\S+)\)/, "    '2 $1')")).join('\n')}
  esac
  _waybill_offer -W "$words"
}

# What compgen finds, a word a line.
_waybill_offer() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@" -- "\${COMP_WORDS[COMP_CWORD]}")
}

complete -F _waybill waybill
`;
}

/** For fish from 3.0 on. */
function fishScript({ root, groups }: Words, head: string): string {
  const branches = groups.map(
    ([name, verbs]) => `        case '2 ${name}'\n            string join \\n ${verbs.join(' ')}`,
  );
  return `${head}
function __waybill_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l current (string unescape -- $typed 2>/dev/null)
    or set current (string replace -r -- '^["\\']' '' $typed)
    set -l lines ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case values
            string join \\n -- $lines[2..-1]
        case files
            set -l head (string match -r -- '^--[^=]+=' "$current")
            for path in (__fish_complete_path (string replace -- "$head" '' "$current"))
                echo -- "$head$path"
            end
        case '*'
            __waybill_words $words
    end
end

# The commands, where the program gives no answer.
function __waybill_words
    switch (count $argv)" $argv[2]"
        case '1 *'
            string join \\n ${root.join(' ')}
${branches.join('\n')}
    end
end

complete -c waybill -f -k -a '(__waybill_complete)'
`;
}

/** Reads the words up to the cursor, and the part of the last one that PowerShell keeps. */
const reading = `    # The words up to the cursor. A list with commas is one of them, but PowerShell replaces its last part alone.
    $program = $commandAst.GetCommandName()
    $typed = @()
    $current = ''
    $head = ''
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        $extent = $element.Extent
        if ($extent.StartOffset -ge $cursorPosition) { break }
        $isText = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
        if ($isText -and $extent.EndOffset -le $cursorPosition) {
            $word = $element.Value
        } else {
            $length = [Math]::Min($extent.Text.Length, $cursorPosition - $extent.StartOffset)
            $word = $extent.Text.Substring(0, $length).Trim("'", '"')
        }
        if ($extent.EndOffset -lt $cursorPosition) {
            $typed += $word
        } else {
            $current = $word
            $isList = $element -is [System.Management.Automation.Language.ArrayLiteralAst] -or
                $element -is [System.Management.Automation.Language.ErrorExpressionAst]
            if ($isList) { $head = $word.Substring(0, $word.LastIndexOf(',') + 1) }
        }
    }`;

const asking = `    # What the program says. It speaks UTF-8, and its exit code is not that of anything somebody ran.
    $lines = @()
    $encoding = $null
    $code = $global:LASTEXITCODE
    try {
        $encoding = [Console]::OutputEncoding
        [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
    } catch { }
    try {
        $env:WAYBILL_TYPED = ($typed + $current) -join [char]31
        $lines = @(& $program __complete --environment 2>$null)
    } catch {
    } finally {
        $env:WAYBILL_TYPED = $null
        $global:LASTEXITCODE = $code
        if ($null -ne $encoding) { try { [Console]::OutputEncoding = $encoding } catch { } }
    }`;

const offering = `    # An empty text keeps PowerShell from offering names of files.
    if ($entries.Count -eq 0) { return '' }
    foreach ($entry in $entries) {
        $value, $about = $entry -split "\`t", 2
        if (-not $value.StartsWith($head, [StringComparison]::Ordinal)) { continue }
        $value = $value.Substring($head.Length)
        if (-not $value) { continue }
        if (-not $about) { $about = $value }
        $text = $value
        if ($text -notmatch '^[\\w./\\\\:=+-]+$') {
            # Curly quotes end a string in PowerShell too.
            $text = [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text)
            $text = "'" + $text + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }`;

/**
 * For PowerShell 5.1 and later. The words are passed in the environment: as arguments, 5.1 drops empty ones and splits
 * those with quotes, wildcards are expanded, and cmd.exe, which runs waybill.cmd, executes the part after an ampersand.
 */
function powershellScript({ root, groups }: Words, head: string): string {
  return `${head}
Register-ArgumentCompleter -Native -CommandName (
    @('waybill') + @(Get-Alias -Definition 'waybill' -ErrorAction Ignore | ForEach-Object { $_.Name })
) -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off
    $ErrorActionPreference = 'SilentlyContinue'

${reading}

${asking}

${entriesOf({ root, groups })}

${offering}
}
`;
}

/** Returns the program's candidates, file names, or the commands if the program fails. */
function entriesOf({ root, groups }: Words): string {
  const listed = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');
  const branches = groups.map(([name, verbs]) => `            '${name}' { ${listed(verbs)} }`);
  return `    $entries = @($lines | Select-Object -Skip 1)
    if ($lines[0] -eq 'files') {
        # Where nothing is returned PowerShell offers names of files; but behind a flag it finds none.
        if ($current -notmatch '^(--[^=]+=)(.*)$') { return }
        $flag = $Matches[1]
        $files = [System.Management.Automation.CompletionCompleters]::CompleteFilename($Matches[2])
        $entries = @($files | ForEach-Object {
            $flag + ($_.CompletionText -replace "^'(.*)'$", '$1').Replace("''", "'")
        })
    } elseif ($lines[0] -ne 'values') {
        # The commands, where the program gives no answer.
        $words = switch ($typed -join ' ') {
            '' { ${listed(root)} }
${branches.join('\n')}
        }
        $entries = @(foreach ($word in $words) {
            if ($word.StartsWith($current, [StringComparison]::Ordinal)) { $word }
        })
    }`;
}

/** For zsh 5 and later: in a folder of $fpath, or loaded by \`source <(...)\`. Its first line is for compinit. */
function zshScript({ root, groups }: Words, head: string): string {
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

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

export const scriptNames = {
  bash: 'waybill.bash',
  zsh: '_waybill',
  fish: 'waybill.fish',
  powershell: 'waybill.ps1',
} as const satisfies Record<Shell, string>;

/** Part of every script: a file with this line may be overwritten and removed. */
export const mark = 'Completion of waybill, made from its command tree:';

/** The words that follow others: the program's first, then `NAME WORD...` for each group. */
interface Words {
  root: readonly string[];
  groups: readonly (readonly [name: string, verbs: readonly string[]])[];
}
