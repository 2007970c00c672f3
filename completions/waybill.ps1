# Completion of waybill, made from its command tree:
# `waybill completion powershell` prints it, and --install puts it in its place.

# The commands, where the program gives no answer.
$script:WaybillWords = @{
    '' = @('orders', 'routes', 'quotes', 'batches', 'deliveries', 'events', 'webhooks', 'charges', 'stores', 'sandbox', 'profiles', 'config', 'keys', 'start', 'new', 'ship', 'dispatch', 'listen', 'track', 'serve', 'doctor', 'login', 'logout', 'whoami', 'completion', 'api', 'openapi', 'commands', 'help')
    'orders' = @('create', 'import', 'list', 'get', 'wait', 'tries', 'cancel')
    'routes' = @('create', 'list', 'get', 'wait', 'delete', 'quote')
    'quotes' = @('list', 'wait')
    'batches' = @('list', 'get', 'wait', 'cancel')
    'deliveries' = @('list', 'get', 'explain', 'watch', 'wait', 'quote', 'create', 'initiate', 'edit', 'cancel', 'retry', 'dispute')
    'events' = @('list', 'get', 'tail', 'resend')
    'webhooks' = @('create', 'list', 'get', 'update', 'delete', 'rotate-secret', 'test', 'attempts', 'verify')
    'charges' = @('list')
    'stores' = @('create', 'list', 'get', 'update', 'delete')
    'sandbox' = @('clock', 'advance', 'scenarios', 'scenario', 'steps', 'step', 'provider', 'reset')
    'profiles' = @('list', 'use', 'create', 'delete')
    'config' = @('list', 'get', 'set', 'unset')
    'keys' = @('create', 'list', 'revoke')
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
        $value, $about = $line -split "`t", 2
        if (-not $about) { $about = $value }
        $text = $value
        if ($text -notmatch '^[\w./:=+-][\w./:=+,-]*$' ) { $text = "'" + $text.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
