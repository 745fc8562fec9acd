#!/usr/bin/env bash
# Ctrl-C ends a run after what is running: what was measured is printed and in the file, and --resume does the rest. It
# is sent once the file shows that something was measured, and while the run still goes on.  interrupted.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "kernels for x86-64"

# A precision that is never reached: each value takes its whole budget, and the run far longer than this test looks at it.
mapfile -t kernels < <("$cyclops" list kernels --isa x86_64 --json | jq -r .kernel | head -60)
run=("$cyclops" run "${kernels[@]}" --mcpu none --precision 0.01 --attempt 200 --budget 0 --timeout 30 --output "$T/journal")
env --default-signal=INT "${run[@]}" >"$T/interrupted" 2>&1 & # bash lets what runs in the background ignore it
program=$!
is_under_way() { grep -qs '"record":"measurement"' "$T/journal" || has_ended $program; }
if ! within 120 is_under_way; then
    kill -KILL $program
    skip "nothing was measured within two minutes"
fi
if ! kill -INT $program 2>/dev/null; then
    wait $program
    [ $? = 0 ] && skip "the run was over before it could be interrupted"
    echo "FAILED: it ended by itself:"
    cat "$T/interrupted"
    exit 1
fi
if ! within 60 has_ended $program; then
    kill -KILL $program
    echo "FAILED: it goes on a minute after Ctrl-C"
    exit 1
fi
wait $program
interrupted=$?
expect 0 '^130$' echo $interrupted
expect 0 'interrupted: [0-9]+ of [0-9]+ measured; --resume does the rest' cat "$T/interrupted"
read -r done total < <(sed -nE 's/.*interrupted: ([0-9]+) of ([0-9]+) measured.*/\1 \2/p' "$T/interrupted")
[ "${done:-0}" -gt 0 ] && [ "$done" -lt "$total" ] || { echo "FAILED: $done of $total is not some of them"; failures=$((failures + 1)); }
expect 0 "^$done\$" jq -s 'map(select(.record == "measurement")) | length' "$T/journal"
expect 0 ' ratio clock| rdpmc clock| perf clock' cat "$T/interrupted"
expect 0 '^  [a-z0-9-]+ +[a-z]' cat "$T/interrupted"
expect 0 '"record":"measurement"' jq -c . "$T/journal"
finish
