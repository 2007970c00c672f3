import type { Words } from './words.ts';

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
export function powershellScript({ root, groups }: Words, head: string): string {
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
