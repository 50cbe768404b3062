#compdef rdmanav
# rdmanav completes its own command line: the words up to the cursor go in, what may stand there comes out.
_rdmanav() {
    local -a lines plain open
    local line home=
    # What zsh would put in for a variable, a command or a `~` is not what is typed, and quoted it would not be put in.
    [[ $compstate[quote] != \' && ${PREFIX//\\?/} == *[\$\`]* ]] && return 1
    if [[ -z $compstate[quote] && $PREFIX == \~* ]]; then
        [[ $PREFIX == \~/* ]] || return 1
        home='~/'
    elif [[ ${(Q)PREFIX} == \~/* ]]; then
        return 1
    fi
    lines=("${(@f)$(rdmanav completions zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    # Left as it stands: zsh quotes what it inserts.
    [[ -n $home ]] && compset -P '\~/' && lines=("${(@)lines#$home}")
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
