import type { Words } from '../scripts.ts';

/** For PowerShell from 5.1 on. An empty argument does not reach a program there: --new says that there is one. */
export function powershellScript({ root, groups }: Words, head: string): string {
  const listed = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');
  const branches = groups.map(([name, verbs]) => `    '${name}' = @(${listed(verbs)})`);
  return `${head}
# The commands, where the program gives no answer.
$script:WaybillWords = @{
    '' = @(${listed(root)})
${branches.join('\n')}
}

Register-ArgumentCompleter -Native -CommandName 'waybill' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $element.Extent.Text
        }
    }
    $program = $words[0]
    $typed = @($words | Select-Object -Skip 1)
    $isNew = $wordToComplete -eq ''
    if (-not $isNew -and $typed.Count -gt 0) { $typed[$typed.Count - 1] = $wordToComplete.Trim("'", '"') }
    $mode = @(if ($isNew) { '--new' })
    $lines = @(& $program __complete @mode '--' @typed 2>$null)
    if ($lines.Count -gt 0 -and $lines[0] -eq 'files') { return }
    if ($lines.Count -eq 0 -or $lines[0] -ne 'values') {
        $before = if ($isNew) { $typed.Count } else { $typed.Count - 1 }
        $key = if ($before -eq 1) { $typed[0] } elseif ($before -eq 0) { '' } else { $null }
        $known = if ($null -ne $key) { $script:WaybillWords[$key] }
        $lines = @('values') + @($known | Where-Object { $_ -like "$wordToComplete*" })
    }
    # Where nothing is returned PowerShell offers names of files.
    if ($lines.Count -lt 2) { return '' }
    foreach ($line in $lines[1..($lines.Count - 1)]) {
        $value, $about = $line -split "\`t", 2
        if (-not $about) { $about = $value }
        $text = $value
        if ($text -notmatch '^[\\w./:=+-][\\w./:=+,-]*$' ) { $text = "'" + $text.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
`;
}
