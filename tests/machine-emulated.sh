#!/usr/bin/env bash
# The experiments of a machine card for AArch64 run to their end under emulation: those of forwarding, bandwidth, costs and banks.
# Times mean nothing there, and none is looked at.   machine-emulated.sh BUILD
. "$(dirname "$0")/lib.sh"
qemu=qemu-aarch64
command -v $qemu aarch64-linux-gnu-as >/dev/null || skip "there is no $qemu, or no assembler of AArch64"
[ -e "$build/lib/cyclops/runner-aarch64" ] || skip "there is no runner of AArch64"

mkdir -p "$T/kernels/aarch64"
"$build/tests/machine_kernels" aarch64 >"$T/kernels/aarch64/machine.yaml"
mapfile -t names < <(sed -nE 's/^  - [{]?name: ([^,]*).*/\1/p' "$T/kernels/aarch64/machine.yaml")
expect 0 '^([6-9][0-9]|1[0-9][0-9])$' echo ${#names[@]}

# All of them can be assembled as they are.
expect 0 . "$cyclops" run "${names[@]}" --kernels "$T/kernels" --isa aarch64 --target sim:neoverse-v2,noise=none --mcpu none \
    --mode throughput --attempt 1 --budget 0 --output "$T/simulated"
expect 0 "^${#names[@]}\$" jq -rs '[.[] | select(.record == "measurement" and .outcome == null)] | length' "$T/simulated"

# Rings of memory travel, too.
"$cyclops" bundle "${names[@]}" --kernels "$T/kernels" --isa aarch64 --mode throughput --output "$T/bundle" >"$T/said" 2>&1 ||
    { cat "$T/said"; failures=$((failures + 1)); }
emulate "$T/measured" $qemu -cpu max "$T/bundle"
measured() { jq -s "[.[] | select(.record == \"measurement\" and ($1))] | length" "$T/measured"; }
late='.outcome == "time-out" or .outcome == "no time on its CPU"'
# What only lacked time on its CPU, in each of some runs, shows nothing about the experiments.
if [ "$(measured ".outcome != null and ($late | not)")" = 0 ] && [ "$(measured "$late")" != 0 ]; then
    skip "unstable: the host left $(measured "$late") of ${#names[@]} experiments no time under the emulator"
fi
expect 0 "^${#names[@]}\$" measured '.outcome == null'
jq -r 'select(.outcome != null) | "\(.kernel): \(.outcome)"' "$T/measured"
[ "$failures" = 0 ] || tail -n 5 "$T/measured.err"
finish
