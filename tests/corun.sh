#!/usr/bin/env bash
# Two threads on real CPUs: what cannot be is said; two chains of adds on two cores take what each takes alone.  corun.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "kernels for x86-64"
run() { "$cyclops" run --mcpu none --attempt 100 --budget 0 "$@"; }

# numbers LIST: "0-2,5" as 0 1 2 5.
numbers() {
    local part
    for part in ${1//,/ }; do seq "${part%-*}" "${part#*-}"; done
}
about() { cat "/sys/devices/system/cpu/cpu$1/$2" 2>/dev/null; }
siblings_of() { numbers "$(about "$1" topology/thread_siblings_list || echo "$1")"; }
has_smt() { [ "$(siblings_of "$1" | wc -l)" -gt 1 ]; }

# Of the CPUs that we may use: any two, and two cores of one kind, which keep to the same clock as far as one can know.
mapfile -t cpus < <(numbers "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)")
two_cores() {
    local a b
    for a in "${cpus[@]}"; do
        for b in "${cpus[@]}"; do
            ! siblings_of "$a" | grep -qx "$b" && [ "$(about "$a" cpufreq/cpuinfo_max_freq)" = "$(about "$b" cpufreq/cpuinfo_max_freq)" ] &&
                [ "$(about "$a" cpu_capacity)" = "$(about "$b" cpu_capacity)" ] && echo "$a $b" && return
        done
    done
    return 1
}

cpu=${cpus[0]}
if ! has_smt "$cpu"; then
    expect 77 'has no SMT sibling.*--corun-cpu N' run add-r64 --corun add-r64 --cpu "$cpu"
fi
expect 2 'two threads need two CPUs' run add-r64 --corun add-r64 --cpu "$cpu" --corun-cpu "$cpu"
expect 77 'cannot run on CPU 9999' run add-r64 --corun imul-r64 --corun-cpu 9999
[ ${#cpus[@]} -ge 2 ] || skip "one CPU only"

printf 'ud2\n' >"$T/bad.s"
expect 1 'illegal instruction' run add-r64 --corun "$T/bad.s" --cpu "$cpu" --corun-cpu "${cpus[1]}"
pair=$(two_cores) || skip "no two cores of one kind"
first=${pair% *} second=${pair#* }

# Two cores share no pipe: each is predicted as alone (two threads of one core would take twice as long).
"$cyclops" run store-r64 --corun store-r64 --cpu "$first" --corun-cpu "$second" --mcpu znver4 --attempt 20 --budget 0 --json >"$T/json"
jq -es '[.[] | select(.predicted) | .predicted[0].cycles] | length == 2 and .[0] == .[1]' "$T/json" >/dev/null ||
    { echo "FAILED: two cores are predicted as if they shared one"; failures=1; }

# Under load this machine may give no pair of quiet CPUs: a value that is marked is none.
for _ in 1 2 3; do
    run add-r64 --corun imul-r64 --cpu "$first" --corun-cpu "$second" --json >"$T/json" 2>"$T/err" || was_disturbed "$T/err" ||
        { echo "FAILED: no co-run"; cat "$T/err"; failures=1; break; }
    jq -e 'select(.beside and .verdict != "unstable")' "$T/json" >"$T/row" || continue
    jq -e '.cycles > 0.98 and .cycles < 1.02 and .beside.cycles > 2.8 and .beside.cycles < 3.6 and
        .beside.high - .beside.low > 0.019 * .beside.cycles and .samples > 0' "$T/row" >/dev/null ||
        { echo "FAILED: add and imul on two CPUs:"; cat "$T/row"; failures=1; }
    finish
done
skip "unstable in all attempts"
