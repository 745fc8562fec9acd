#!/usr/bin/env bash
# Ctrl-C ends a run after what is running: what was measured is printed and in the file, and --resume does the rest. It
# is sent once the file shows that something was measured, however long that takes.  interrupted.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || exit 77

# A precision that is never reached: each value takes its whole budget, and the run far longer than this test looks at it.
mapfile -t kernels < <("$cyclops" list kernels --isa x86_64 --json | jq -r .kernel | head -60)
run=("$cyclops" run "${kernels[@]}" --mcpu none --precision 0.01 --attempt 200 --budget 0 --timeout 30 --output "$T/journal")
env --default-signal=INT "${run[@]}" >"$T/interrupted" 2>&1 & # bash lets what runs in the background ignore it
program=$!
has_begun() { grep -qs '"record":"measurement"' "$T/journal"; }
for _ in $(seq 1200); do
    ! has_begun && kill -0 $program 2>/dev/null || break
    sleep 0.1
done
if ! has_begun && kill -0 $program 2>/dev/null; then
    kill -KILL $program
    echo "skipped: nothing was measured within two minutes"
    exit 77
fi
kill -INT $program
wait $program
interrupted=$?
expect 0 '^130$' echo $interrupted
expect 0 'interrupted: [0-9]+ of [0-9]+ measured; --resume does the rest' cat "$T/interrupted"
expect 0 ' ratio clock| rdpmc clock| perf clock' cat "$T/interrupted"
expect 0 '^  [a-z0-9-]+ +[a-z]' cat "$T/interrupted"
expect 0 '"record":"measurement"' jq -c . "$T/journal"
finish
