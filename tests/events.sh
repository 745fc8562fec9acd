#!/usr/bin/env bash
# The tables of events/ are true of libpfm4 and of LLVM: it knows each event of each CPU, and the models have the
# resources.  events.sh BUILD
. "$(dirname "$0")/lib.sh"
table=$here/../events/x86_64.yaml

# libpfm4's name of a CPU; CPUs that it does not know have their events as the kernel writes them.
pmu_of() {
    case $1 in
    skylake) echo skl ;; icelake-client) echo icl ;; sapphirerapids) echo spr ;;
    znver1) echo amd64_fam17h_zen1 ;; znver2) echo amd64_fam17h_zen2 ;; znver3) echo amd64_fam19h_zen3 ;;
    alderlake) ;; *) echo "FAILED: this test does not know $1" >&2; echo unknown ;;
    esac
}

# One line a family: its CPUs; then its events and its resources.
sed -nE 's/^ *- cpus: \[(.*)\]/cpus \1/p; s/^ *retired: *(.*)/event \1/p
    s/^ *- \{.*event: "([^"]*)", resources: \[(.*)\].*/event \1\nresources \2/p' "$table" | tr -d ',' >"$T/lines"
[ "$(grep -c '^event' "$T/lines")" -gt 30 ] || { echo "FAILED: $table was not understood"; failures=1; }

while read -r what rest; do
    case $what in
    cpus) cpus=$rest pmu=$(pmu_of "${rest%% *}") ;;
    event)
        [ -n "$pmu" ] || continue
        status=0
        LIBPFM_FORCE_PMU=$pmu "$cyclops" run add-r64 --isa x86_64 --mcpu none --events "$rest" >"$T/out" 2>&1 || status=$?
        [ $status != 2 ] || { echo "FAILED: $pmu: $(cat "$T/out")"; failures=1; } ;;
    resources)
        for resource in $rest; do
            found=no
            for cpu in $cpus; do
                "$cyclops" run add-r64 --isa x86_64 --mode latency --mcpu none --target "sim:$cpu,noise=counters" \
                    --events "$resource" >/dev/null 2>&1 && found=yes && break
            done
            [ $found = yes ] || { echo "FAILED: no model of '$cpus' has $resource"; failures=1; }
        done ;;
    esac
done <"$T/lines"
finish
