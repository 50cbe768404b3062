# rdmanav completes its own command line: the words up to the cursor go in, what may stand there comes out.
Register-ArgumentCompleter -Native -CommandName rdmanav -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    # An empty argument would be dropped by older releases; a quoted one is taken as empty.
    $last = if ($wordToComplete) { $wordToComplete } else { '""' }
    rdmanav completions powershell '--' @words $last 2>$null | ForEach-Object {
        # The first is quoted: it is inserted as it stands.
        $inserted, $value, $about = $_ -split "`t", 3
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($inserted, $value, 'ParameterValue', $about)
    }
}
