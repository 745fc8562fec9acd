#!/usr/bin/env bash
# Two threads on real CPUs: what cannot be is said; two chains of adds on two cores take what each takes alone.  corun.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || exit 77
run() { "$cyclops" run --mcpu none --attempt 100 --budget 0 "$@"; }

if ! grep -qs '[,-]' /sys/devices/system/cpu/cpu*/topology/thread_siblings_list; then
    expect 77 'has no SMT sibling.*--corun-cpu N' run add-r64 --corun add-r64
fi
cpu=$(taskset -cp $$ | sed -E 's/.*[ ,-]//')
expect 2 'two threads need two CPUs' run add-r64 --corun add-r64 --cpu "$cpu" --corun-cpu "$cpu"
[ "$(nproc)" -ge 2 ] || { [ $failures = 0 ] && exit 77; finish; }

printf 'ud2\n' >"$T/bad.s"
expect 1 'illegal instruction' run add-r64 --corun "$T/bad.s" --corun-cpu "$cpu"
expect 77 'cannot run on CPU 9999' run add-r64 --corun imul-r64 --corun-cpu 9999

# Two cores share no pipe: each is predicted as alone (two threads of one core would take twice as long).
if ! grep -qs '[,-]' /sys/devices/system/cpu/cpu*/topology/thread_siblings_list; then
    "$cyclops" run store-r64 --corun store-r64 --corun-cpu "$cpu" --mcpu znver4 --attempt 20 --budget 0 --json >"$T/json"
    jq -es '[.[] | select(.predicted) | .predicted[0].cycles] | length == 2 and .[0] == .[1]' "$T/json" >/dev/null ||
        { echo "FAILED: two cores are predicted as if they shared one"; failures=1; }
fi

# Under load this machine may give no pair of quiet CPUs: a value that is marked is none.
is_skipped=true
for _ in 1 2 3; do
    run add-r64 --corun imul-r64 --corun-cpu "$cpu" --json >"$T/json" || { echo "FAILED: no co-run"; failures=1; break; }
    jq -e 'select(.beside and .verdict != "unstable")' "$T/json" >"$T/row" || continue
    is_skipped=false
    jq -e '.cycles > 0.98 and .cycles < 1.02 and .beside.cycles > 2.8 and .beside.cycles < 3.6 and
        .beside.high - .beside.low > 0.019 * .beside.cycles and .samples > 0' "$T/row" >/dev/null ||
        { echo "FAILED: add and imul on two CPUs:"; cat "$T/row"; failures=1; }
    break
done
[ $failures = 0 ] && $is_skipped && exit 77
finish
