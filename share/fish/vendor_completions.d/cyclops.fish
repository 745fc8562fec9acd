# Completes 'cyclops' in fish: 'cyclops __complete' has the words.
function __cyclops_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l program (string replace -r -- '-llvm-mca$' '' $words[1])
    test $program = $words[1]; or set words[1] mca
    test $program = $words[1]; and set -e words[1]
    set -l before (string match -r -- '^-[^=]*=' $last)
    set -l typed (string replace -r -- '^-[^=]*=' '' $last)
    for line in ($program __complete $words $last 2>/dev/null)
        switch $line
            case @file
                __fish_complete_path $typed | string replace -r '^' -- "$before"
            case @folder
                __fish_complete_directories $typed | string replace -r '^' -- "$before"
            case @yaml
                __fish_complete_suffix $typed .yaml | string replace -r '^' -- "$before"
            case '*'
                echo $line
        end
    end
end
complete -c cyclops -f -a '(__cyclops_complete)'
complete -c cyclops-llvm-mca -f -a '(__cyclops_complete)'
