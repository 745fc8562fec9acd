#!/usr/bin/env bash
# Every option that --help shows, and every kind of noise, is in the manual page.  man.sh BUILD
. "$(dirname "$0")/lib.sh"
for command in doctor list gen run survey machine table corpus check diff repair report try trace bundle fleet mca cpu explain hot infer upstream pairs reproduce completion; do
    "$cyclops" $command --help | grep -oE '^  --[a-z-]+' | grep -v -- '--help' | tr -d ' ' | while read -r option; do
        grep -qE -- "Fl -${option#--}( |$)" "$here/../man/cyclops.1" || echo "cyclops $command $option"
    done
done >"$T/missing"
"$cyclops" run x --target sim:x,noise=help 2>&1 | grep -oE '^  [a-z]+' | while read -r kind; do
    grep -qw -- "$kind" "$here/../man/cyclops.1" || echo "noise $kind"
done >>"$T/missing"
[ -s "$T/missing" ] && { echo "FAILED: not in man/cyclops.1:"; cat "$T/missing"; failures=1; }
finish
