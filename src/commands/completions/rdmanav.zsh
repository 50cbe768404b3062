#compdef rdmanav
# rdmanav completes its own command line: the words up to the cursor go in, what may stand there comes out.
_rdmanav() {
    local -a lines plain open
    local line
    lines=("${(@f)$(rdmanav completions zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in $lines; do
        # More may follow a directory, or a variable of --set.
        if [[ ${line%%:*} == *[/=] ]]; then open+=("$line"); else plain+=("$line"); fi
    done
    (( $#plain )) && _describe -V rdmanav plain -M 'm:{[:lower:]}={[:upper:]}'
    (( $#open )) && _describe -V rdmanav open -S '' -M 'm:{[:lower:]}={[:upper:]}'
    (( $#plain + $#open ))
}
if [[ ${funcstack[1]} == _rdmanav ]]; then
    _rdmanav "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _rdmanav rdmanav
fi
