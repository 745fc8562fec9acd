#!/usr/bin/env bash
# The experiments of a machine card for AArch64 and RISC-V run to their end under emulation: those of forwarding, bandwidth, costs
# and banks. Times mean nothing there, and none is looked at.   machine-emulated.sh BUILD
. "$(dirname "$0")/lib.sh"

measured() { jq -s "[.[] | select(.record == \"measurement\" and ($1))] | length" "$T/measured"; }

n_tried=0
try() { # ISA SIMULATED-CPU LEAST QEMU...
    local isa=$1 cpu=$2 least=$3 names late='.outcome == "time-out" or .outcome == "no time on its CPU"'
    shift 3
    command -v "$1" "$isa-linux-gnu-as" >/dev/null && [ -e "$build/lib/cyclops/runner-$isa" ] || return
    n_tried=$((n_tried + 1))
    mkdir -p "$T/kernels/$isa"
    "$build/tests/machine_kernels" "$isa" >"$T/kernels/$isa/machine.yaml"
    mapfile -t names < <(sed -nE 's/^  - [{]?name: ([^,]*).*/\1/p' "$T/kernels/$isa/machine.yaml")
    expect 0 ^yes$ bash -c "[ ${#names[@]} -ge $least ] && echo yes"

    # All of them can be assembled as they are.
    expect 0 . "$cyclops" run "${names[@]}" --kernels "$T/kernels" --isa "$isa" --target "sim:$cpu,noise=none" --mcpu none \
        --mode throughput --attempt 1 --budget 0 --output "$T/simulated-$isa"
    expect 0 "^${#names[@]}\$" jq -rs '[.[] | select(.record == "measurement" and .outcome == null)] | length' "$T/simulated-$isa"

    # Rings of memory travel, too.
    "$cyclops" bundle "${names[@]}" --kernels "$T/kernels" --isa "$isa" --mode throughput --output "$T/bundle" >"$T/said" 2>&1 ||
        { cat "$T/said"; failures=$((failures + 1)); }
    emulate "$T/measured" "$@" "$T/bundle"
    # What only lacked time on its CPU, in each of some runs, shows nothing about the experiments.
    if [ "$(measured ".outcome != null and ($late | not)")" = 0 ] && [ "$(measured "$late")" != 0 ]; then
        skip "unstable: the host left $(measured "$late") of ${#names[@]} experiments no time under the emulator"
    fi
    expect 0 "^${#names[@]}\$" measured '.outcome == null'
    jq -r 'select(.outcome != null) | "\(.kernel): \(.outcome)"' "$T/measured"
    [ "$failures" = 0 ] || tail -n 5 "$T/measured.err"
}
try aarch64 neoverse-v2 60 qemu-aarch64 -cpu max
try riscv64 sifive-p670 26 qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0
[ $n_tried -gt 0 ] || skip "there is no emulator of another ISA with an assembler and a runner"
finish
