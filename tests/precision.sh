#!/usr/bin/env bash
# What must hold on any x86-64 CPU under noise: integer latencies, and a sweep that repeats. A value that is flagged unstable
# proves nothing either way: after three tries the test is skipped, never red.  precision.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || { echo "skipped: kernels for x86-64"; exit 77; }

measure() { "$cyclops" run "$@" --mcpu none --json | grep '"record":"measurement"'; }
unstable() { grep -q '"verdict":"unstable"' "$1"; }

# stable FILE COMMAND…: measures until nothing is unstable, three times at most.
stable() {
    local file=$1
    shift
    for _ in 1 2 3; do
        measure "$@" >"$file"
        unstable "$file" || return 0
    done
    echo "skipped: unstable"
    exit 77
}

stable "$T/latency" add-r64 imul-r64 --mode latency
expect 0 true jq -se 'all(.[]; (.cycles - (.cycles | round)) / .cycles | fabs < 0.005) and .[0].cycles > 0.995 and .[0].cycles < 1.005' "$T/latency"

kernel=mulps-xmm
grep -qw avx512f /proc/cpuinfo && kernel=fma-zmm-ps
stable "$T/first" $kernel --sweep 1..12
stable "$T/second" $kernel --sweep 1..12
expect 0 true jq -ne --slurpfile a "$T/first" --slurpfile b "$T/second" \
    '[range($a | length)] | all(.[]; (($a[.].cycles - $b[.].cycles) / $a[.].cycles | fabs) < 0.01)'
# More independent streams never take less time in all.
expect 0 true jq -se '[.[] | select(.form == "looped") | .cycles] as $c | all(range(1; $c | length); $c[.] >= $c[. - 1] * 0.98)' "$T/first"
finish
