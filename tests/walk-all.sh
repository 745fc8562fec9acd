#!/usr/bin/env bash
# Time that repeats is left out of the simulation; every report must be the same as when all is walked. Real blocks,
# CPUs out of order and in order.  walk-all.sh BUILD [HEX-FILE…]
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
shift
blocks=("${@:-$here/blocks/bhive-sample.hex}")

# same CPU OPTION…: reports of all views.
same() {
    local cpu=$1
    shift
    local mca=("$cyclops" mca -mtriple=x86_64-linux-gnu -mcpu="$cpu" --hex "$@")
    "${mca[@]}" "$T/blocks" >"$T/skipped" 2>/dev/null
    "${mca[@]}" --walk-all "$T/blocks" >"$T/walked" 2>/dev/null
    [ -s "$T/walked" ] && cmp -s "$T/walked" "$T/skipped" && return
    echo "FAILED: $cpu $*"
    diff "$T/walked" "$T/skipped" | head -20 | sed 's/^/    /'
    failures=$((failures + 1))
}

cut -d, -f1 "${blocks[@]}" | head -25 >"$T/blocks"
for iterations in $(seq 1 50); do
    same skylake -all-views -iterations="$iterations"
    same atom -all-views -iterations="$iterations"
done
cut -d, -f1 "${blocks[@]}" >"$T/blocks"
for cpu in core:skylake core:zen5 core:haswell; do
    same $cpu -all-views -iterations=300
done
for cpu in btver2 znver4 sandybridge alderlake slm; do
    same $cpu -all-views
    same $cpu -noalias=false -dispatch-stats -bottleneck-analysis -iterations=307
    same $cpu -micro-op-queue-size=20 -decoder-throughput=3 -scheduler-stats -register-file-stats -iterations=260
done
for cpu in skylake znver3 atom; do
    same $cpu -all-views -iterations=1000
    same $cpu -retire-stats -noalias=false -iterations=4096
    same $cpu -scheduler-stats -iterations=10007
    same $cpu --resource-segments -iterations=500
done
finish
