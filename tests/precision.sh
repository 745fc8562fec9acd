#!/usr/bin/env bash
# What must hold on any x86-64 CPU under noise: integer latencies, and a sweep that repeats and never falls. A value that is flagged
# unstable proves nothing either way, and beside a busy neighbour one in a thousand may be off by a percent: so a claim
# fails only if it fails in every attempt, and is skipped where no attempt was stable.  precision.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "kernels for x86-64"

measure() { "$cyclops" run "$@" --mcpu none --budget 1 --json | grep '"record":"measurement"'; }

latencies_are_integers() {
    measure add-r64 imul-r64 --mode latency >"$T/a"
    cp "$T/a" "$T/b"
    jq -se 'all(.[]; (.cycles - (.cycles | round)) / .cycles | fabs < 0.005) and (.[0].cycles | round) == 1' "$T/a"
}

kernel=mulps-xmm
grep -qw avx512f /proc/cpuinfo && kernel=fma-zmm-ps

sweeps_repeat() {
    measure $kernel --sweep 1..12 >"$T/a"
    measure $kernel --sweep 1..12 >"$T/b"
    jq -ne --slurpfile a "$T/a" --slurpfile b "$T/b" '
        [$a, $b | map(select(.form == "looped") | .cycles)] as [$x, $y] |
        ($x | length) == 12 and
        all(range(12); ($x[.] - $y[.]) / $x[.] | fabs < 0.01) and
        all(range(1; 12); $x[.] >= $x[. - 1] * 0.98)'
}

# claim NAME: true in one of five attempts.
claim() {
    local stable=0
    for _ in 1 2 3 4 5; do
        if "$1" >/dev/null; then return; fi
        grep -q '"verdict":"unstable"' "$T/a" "$T/b" || stable=$((stable + 1))
    done
    if [ $stable = 0 ]; then unstable="$unstable $1"; return; fi
    echo "FAILED: $1 ($stable stable attempts)"
    cat "$T/a" "$T/b"
    failures=$((failures + 1))
}

unstable=
claim latencies_are_integers
claim sweeps_repeat
[ -z "$unstable" ] || skip "unstable in all attempts:$unstable"
finish
