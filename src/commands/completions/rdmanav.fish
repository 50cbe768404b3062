# rdmanav completes its own command line: the words up to the cursor go in, what may stand there comes out.
complete --command rdmanav --no-files --keep-order --arguments '(rdmanav completions fish -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token --cut-at-cursor) 2>/dev/null)'
