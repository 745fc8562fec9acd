#!/usr/bin/env bash
# Bundles of every ISA that there is a runner and an emulator for: they run to their end, and what they write is a
# measurement file. Under an emulator a time means nothing, and none is looked at.  bundle.sh BUILD
. "$(dirname "$0")/lib.sh"

n_tried=0
# try ISA QEMU ASSEMBLER CPU KERNELS…: CPU is one that LLVM has a model of
try() {
    local isa=$1 qemu=$2 assembler=$3 cpu=$4
    shift 4
    [ -e "$build/lib/cyclops/runner-$isa" ] && command -v ${qemu%% *} "$assembler" >/dev/null || return
    n_tried=$((n_tried + 1))
    "$cyclops" bundle "$@" --isa "$isa" --sweep 1..2 --output "$T/$isa"
    expect 0 '^  --reference-cycles' timeout 60 $qemu "$T/$isa" --help
    # The harness gives up on code by its time; on a busy machine an emulator may be too slow once.
    for _ in 1 2 3; do
        rm -f "$T/$isa.jsonl"
        expect 0 'cycles per iteration' timeout 250 $qemu "$T/$isa" --attempt 2 --budget 0 --output "$T/$isa.jsonl"
        ! grep -q '"outcome"' "$T/$isa.jsonl" || continue
        break
    done
    # A header, then each program with its bytes: latency of each arc, throughput, and the sweep.
    expect 0 "^host $isa .*1 throughput 2 throughput" jq -rs --arg isa "$isa" '
        .[0].record + " " + $isa + " " + (.[1:] | map(select(.outcome == null and (.bytes | test("^[0-9a-f]{4,}$")) and
            .isa == $isa and .record == "measurement" and .cycles >= 0)) | map("\(.n) \(.mode)") | join(" "))' "$T/$isa.jsonl"
    expect 0 '→ ratio clock' "$cyclops" run --from "$T/$isa.jsonl" --mcpu "$cpu"
}
try aarch64 "qemu-aarch64 -cpu max" aarch64-linux-gnu-as cortex-a76 add-x fmla-v4s
try armv7 "qemu-arm -cpu cortex-a15" arm-linux-gnueabihf-as cortex-a57 add-r mul-r
try riscv64 qemu-riscv64 riscv64-linux-gnu-as sifive-u74 add-x mul-x
try mips "qemu-mips -cpu 74Kf" mips-linux-gnu-as overlay:mips-74k addu-r mul-r
try mipsel "qemu-mipsel -cpu 74Kf" mipsel-linux-gnu-as overlay:mips-74k addu-r mul-r

# What is not there is said, with what to do.
expect 2 'nothing to run' "$cyclops" bundle --output "$T/none"
expect 2 'where to write' "$cyclops" bundle add-r64 --isa x86_64
mkdir -p "$T/prefix/share" && ln -s "$build/share/cyclops" "$T/prefix/share/cyclops"
expect 77 'no runner for x86_64 .*gcc-x86-64-linux-gnu.*--runner' env CYCLOPS_PREFIX="$T/prefix" "$cyclops" bundle add-r64 --isa x86_64 --output "$T/none"
expect 2 "no/such" "$cyclops" bundle add-r64 --isa x86_64 --runner "$T/no/such" --output "$T/none"

if [ "$(uname -m)" = x86_64 ] && [ -e "$build/lib/cyclops/runner-x86_64" ]; then
    n_tried=$((n_tried + 1))
    "$cyclops" bundle add-r64 --asm 'add rax, rbx; nop' --output "$T/probe"
    expect 0 'add-r64 +latency +unrolled +1 +[0-9-]' "$T/probe" --attempt 20 --budget 0
    expect 0 '^host measurement' bash -c "'$T/probe' --attempt 2 --budget 0 --json | jq -rs 'map(.record) | join(\" \")'"
    expect 0 '"pinned_to":0' "$T/probe" --attempt 2 --budget 0 --json --cpu 0
    expect 77 'CPU 1020' "$T/probe" --cpu 1020
    expect 2 'is not understood' "$T/probe" add-r64
    expect 2 'no number' "$T/probe" --attempt much
    expect 1 'cannot write' "$T/probe" --output "$T/no/such/file"

    # Damage on the way, anywhere, and another ISA's programs are refused.
    cp "$T/probe" "$T/damaged" && printf 'X' | dd of="$T/damaged" bs=1 seek=$(($(stat -c %s "$T/probe") - 300)) conv=notrunc 2>/dev/null
    expect 2 'damaged on its way' "$T/damaged"
    head -c -100 "$T/probe" >"$T/short" && chmod +x "$T/short"
    expect 2 'lost its end' "$T/short"
    expect 2 'no programs are in this file' "$build/lib/cyclops/runner-x86_64"
    sed 's/^isa .*/isa riscv64/' <("$cyclops" bundle add-r64 --pack-only --output /dev/stdout) >"$T/foreign"
    expect 2 'programs for riscv64, and this is the runner for x86_64' "$T/probe" --pack "$T/foreign"
fi
[ $n_tried -gt 0 ] || [ $failures -gt 0 ] || exit 77
finish
