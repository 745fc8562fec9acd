#!/usr/bin/env bash
# The scripts of share/ in real shells: what each offers for a line.  completion.sh BUILD bash|zsh|fish
shell=$2
. "$(dirname "$0")/lib.sh"
export PATH=$build/bin:$PATH
mkdir "$T/there" "$T/there/folder" "$T/zsh"
cd "$T/there" || exit 1
: >my.yaml
: >block.s

if [ "$shell" = bash ]; then # every option of every help is offered, once
    expect 2 "unknown shell 'tcsh'" "$cyclops" completion tcsh
    expect 2 'name one shell' "$cyclops" completion
    # What the scripts ask for.
    expect 0 '^--mode=latency' "$cyclops" __complete run --mode=la
    expect 0 '^latency' "$cyclops" __complete run imul-r64 --mode la
    expect 0 '^full' bash -c '"$1" __complete mca -instruction-tables=f | sed s/.*=//' - "$cyclops"
    expect 0 '^@file$' "$cyclops" __complete mca -instruction-tables ''
    expect 0 '^-mcpu' "$cyclops" __complete mca -mc
    expect 0 '^cpu:zen4' "$cyclops" __complete run --mcpu cpu:z
    expect 1 '^$' bash -c '"$1" __complete nonesuch a; echo; false' - "$cyclops"
fi
command -v "$shell" >/dev/null || skip "there is no $shell"
"$cyclops" completion "$shell" >"$T/script" || failures=1

# offers LINE: a line for each candidate, as the shell has it.
case $shell in
bash)
    # As readline calls it: COMP_WORDS are split at COMP_WORDBREAKS, and a candidate replaces the last of them.
    offers() {
        bash --norc -c '
            . "$1"
            [ "$(complete -p cyclops)" = "complete -F _cyclops cyclops" ] || exit 1
            COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDBREAKS=$'\'' \t\n"'\''"'\''"'\''><=;|&(:'\''
            _cyclops cyclops "" ""
            rest=${2##* } whole=${2##* }
            rest=${rest##*[=:]}
            printf "%s\n" "${COMPREPLY[@]/#/${whole%"$rest"}}"' - "$T/script" "$1" | sort -u
    }
    ;;
zsh)
    # In a terminal of its own; what compadd is given is written to a file.
    offers() {
        cat >"$T/zsh/drive" <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "TERM=dumb PS1= PS2= fpath=($2 \$fpath); autoload -Uz compinit; compinit -u -d $3/dump; bindkey '^I' complete-word; LISTMAX=0
compadd() { local -a fit; [[ \" \$* \" == *' -'[OAD]' '* ]] || { builtin compadd -O fit \"\$@\"; (( \$#fit )) && print -rl -- \$IPREFIX\${^fit} >>$3/offered }; builtin compadd \"\$@\" }
print READY >$3/ready"
repeat 100; do [[ -e $3/ready ]] && break; sleep 0.1; zpty -r -t shell junk; done
: >$3/offered
zpty -w -n shell "$1"$'\t'
zpty -w -n shell $'\x15'"print DONE >$3/done"$'\n'
repeat 100; do [[ -e $3/done ]] && break; sleep 0.1; zpty -r -t shell junk; done
zpty -d shell
ZSH
        rm -f "$T/zsh/ready" "$T/zsh/done"
        cp "$T/script" "$T/zsh/_cyclops"
        zsh -f "$T/zsh/drive" "$1" "$T/zsh" "$T/zsh" >/dev/null 2>&1
        sort -u "$T/zsh/offered"
    }
    ;;
fish)
    offers() { fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$T/script" "$1" | cut -f1 | sort -u; }
    ;;
*) exit 2 ;;
esac

# has LINE WORD...: these are offered.  lacks LINE WORD...: these are not.
has() {
    local line=$1 word
    offers "$line" | sed 's|/$||' >"$T/offered" # some shells add the slash of a folder later
    shift
    for word; do
        grep -qxF -- "$word" "$T/offered" && continue
        echo "FAILED: '$line' does not offer '$word', but:"
        head -20 "$T/offered" | sed 's/^/    /'
        failures=$((failures + 1))
    done
}
lacks() {
    local line=$1 word
    offers "$line" | sed 's|/$||' >"$T/offered" # some shells add the slash of a folder later
    shift
    for word; do
        ! grep -qxF -- "$word" "$T/offered" || { echo "FAILED: '$line' offers '$word'"; failures=$((failures + 1)); }
    done
}

has 'cyclops ' run survey report help completion
has 'cyclops re' repair report reproduce
lacks 'cyclops re' run
has 'cyclops help re' repair report
has 'cyclops run --pr' --precision --processes
lacks 'cyclops run --pr' --mode --junit
has 'cyclops check --' --junit --markdown --annotations --mcpu --help
has 'cyclops run --mode ' latency throughput block
has 'cyclops run --clock r' rdpmc ratio
lacks 'cyclops run --clock r' perf
has 'cyclops pairs add-r64 --placement ' same-address own-pages
has 'cyclops list ' kernels forms models changes events
has 'cyclops corpus ' run score extract
has 'cyclops completion ' bash zsh fish
has 'cyclops run imul' imul-r64
has 'cyclops mca blo' block.s
has 'cyclops survey --output ' folder
has 'cyclops check folder --allow my' my.yaml
if [ "$(uname -m)" = x86_64 ]; then
    has 'cyclops survey VADDPSY' VADDPSYrr
    has 'cyclops table survey --form ADD64r' ADD64rr
    lacks 'cyclops run ADD64' ADD64rr # thousands would hide the kernels
fi
if [ "$(uname -m)" = x86_64 ]; then
    has 'cyclops check folder --mcpu znver' znver3 znver4
    lacks 'cyclops check folder --mcpu znver' skylake
    has 'cyclops check folder --mcpu my' my.yaml
    has 'cyclops run add-r64 --target sim:znver' sim:znver4
fi
case $shell in
bash) has 'cyclops run --mode=' --mode=latency && has 'cyclops run --target=sim:hasw' --target=sim:haswell ;;
zsh) has 'cyclops run --mode=' --mode=latency ;;
fish) has 'cyclops run --mode=' --mode=latency ;;
esac

# Each option that a help shows is offered.
if [ "$shell" != zsh ]; then # a terminal for each line takes too long
    for command in $("$cyclops" --help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' | grep -v '^help$'); do
        # shellcheck disable=SC2046
        has "cyclops $command --" $("$cyclops" "$command" --help | grep -oE '^  --[a-z0-9-]+' | tr -d ' ')
    done
fi
finish
