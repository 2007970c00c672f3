# Completion of waybill, made from its command tree:
# `waybill completion powershell` prints it.

Register-ArgumentCompleter -Native -CommandName (
    @('waybill') + @(Get-Alias -Definition 'waybill' -ErrorAction Ignore | ForEach-Object { $_.Name })
) -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off
    $ErrorActionPreference = 'SilentlyContinue'

    # The words up to the cursor. A list with commas is one of them, but PowerShell replaces its last part alone.
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
    }

    # What the program says. It speaks UTF-8, and its exit code is not that of anything somebody ran.
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
    }

    $entries = @($lines | Select-Object -Skip 1)
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
            '' { 'orders', 'routes', 'quotes', 'batches', 'deliveries', 'events', 'webhooks', 'charges', 'disputes', 'stores', 'couriers', 'drivers', 'sandbox', 'profiles', 'config', 'keys', 'admin', 'audit', 'secrets', 'start', 'new', 'ship', 'dispatch', 'listen', 'today', 'report', 'notes', 'board', 'track', 'serve', 'migrate', 'backup', 'restore', 'doctor', 'login', 'logout', 'whoami', 'completion', 'api', 'mcp', 'openapi', 'commands', 'help', 'find', 'explain', 'where', 'proof', 'watch', 'edit', 'note', 'cancel', 'retry', 'wait', 'reschedule', 'assign' }
            'orders' { 'create', 'import', 'list', 'get', 'wait', 'attempts', 'cancel' }
            'routes' { 'create', 'list', 'get', 'delete', 'quote' }
            'quotes' { 'list', 'wait' }
            'batches' { 'list', 'get', 'wait', 'cancel' }
            'deliveries' { 'list', 'get', 'explain', 'watch', 'wait', 'quote', 'create', 'initiate', 'assign', 'report', 'unlock', 'edit', 'reschedule', 'cancel', 'retry', 'note', 'dispute' }
            'events' { 'list', 'get', 'tail', 'resend' }
            'webhooks' { 'create', 'list', 'get', 'update', 'delete', 'rotate-secret', 'test', 'attempts', 'verify' }
            'charges' { 'list' }
            'disputes' { 'list', 'get', 'resolve' }
            'stores' { 'create', 'list', 'get', 'update', 'pause', 'resume', 'delete' }
            'couriers' { 'list', 'connect', 'check', 'enable', 'disable', 'remove' }
            'drivers' { 'add', 'list', 'get', 'update', 'link', 'prices', 'remove' }
            'sandbox' { 'clock', 'advance', 'scenarios', 'scenario', 'steps', 'step', 'provider', 'reset' }
            'profiles' { 'list', 'use', 'create', 'delete' }
            'config' { 'list', 'get', 'set', 'unset' }
            'keys' { 'create', 'list', 'revoke' }
            'admin' { 'accounts', 'erase', 'export', 'clean', 'failed' }
            'audit' { 'list' }
            'secrets' { 'status', 'rotate' }
        }
        $entries = @(foreach ($word in $words) {
            if ($word.StartsWith($current, [StringComparison]::Ordinal)) { $word }
        })
    }

    # An empty text keeps PowerShell from offering names of files.
    if ($entries.Count -eq 0) { return '' }
    foreach ($entry in $entries) {
        $value, $about = $entry -split "`t", 2
        if (-not $value.StartsWith($head, [StringComparison]::Ordinal)) { continue }
        $value = $value.Substring($head.Length)
        if (-not $value) { continue }
        if (-not $about) { $about = $value }
        $text = $value
        if ($text -notmatch '^[\w./\\:=+-]+$') {
            # Curly quotes end a string in PowerShell too.
            $text = [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text)
            $text = "'" + $text + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
