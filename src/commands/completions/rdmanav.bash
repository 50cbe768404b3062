# rdmanav completes its own command line: the line up to the cursor goes in, what may stand there comes out, quoted as the line needs it.
_rdmanav() {
    local IFS=$'\n' word
    COMPREPLY=()
    while read -r word; do
        COMPREPLY+=("$word")
    done < <(rdmanav completions bash -- "${COMP_LINE:0:COMP_POINT}" "$2" "${COMP_TYPE-}" 2>/dev/null)
    # More may follow a directory, a variable of --set, or a section of which there are parts.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=#] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _rdmanav rdmanav 2>/dev/null || complete -F _rdmanav rdmanav
