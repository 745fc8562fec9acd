#!/usr/bin/env bash
# From kernel to verdict through the real programs: the assembler, the emulator, the CPU.  end-to-end.sh BUILD
. "$(dirname "$0")/lib.sh"

# What gen prints, plain as takes.
if [ "$(uname -m)" = x86_64 ]; then
    expect 0 assembled bash -c "set -o pipefail; '$cyclops' gen fma-zmm-ps --n 8 | as -o '$T/x.o' - && echo assembled"
fi
if command -v aarch64-linux-gnu-as qemu-aarch64 >/dev/null; then
    for kernel in $("$cyclops" list kernels --isa aarch64 --json | jq -r .kernel); do
        "$cyclops" gen "$kernel" --isa aarch64 --output "$T/k.s"
        symbol=$(sed -nE 's/^[[:space:]]*\.glob(a)?l[[:space:]]+([^[:space:]]+).*/\2/p' "$T/k.s" | head -1)
        sed "s/KERNEL/$symbol/" "$here/aarch64/start.s" >"$T/start.s"
        expect 0 '^done' bash -c "cd '$T' && aarch64-linux-gnu-as -o k.o k.s && aarch64-linux-gnu-as -o start.o start.s &&
            aarch64-linux-gnu-ld -o k k.o start.o && qemu-aarch64 -cpu max ./k && echo done"
    done
fi

# What is missing is named, with how to get it.
expect 77 "install package binutils" env PATH=/nowhere "$cyclops" run add-r64 --isa x86_64 --target sim:skylake
expect 77 "CYCLOPS_AS" env CYCLOPS_AS=/nowhere/as "$cyclops" run add-r64 --isa x86_64 --target sim:skylake
mkdir -p "$T/empty"
expect 77 "no module for LLVM 7 in .*llvm-7-dev" env CYCLOPS_PREFIX="$T/empty" "$cyclops" mca --llvm 7 "$here/golden/dot-product.s"

# LLVM in the program itself, where it is built in, says what the module says.
"$cyclops" mca -mtriple=x86_64 -mcpu=btver2 -all-views "$here/golden/dot-product.s" >"$T/built-in"
"$cyclops" mca -mtriple=x86_64 -mcpu=btver2 -all-views --llvm "$build/lib/cyclops" "$here/golden/dot-product.s" >"$T/module"
expect 0 same bash -c "cmp '$T/built-in' '$T/module' && echo same"

[ "$(uname -m)" = x86_64 ] || finish

# By a name of its own, so that what is left running can be told from other tests' processes.
ln -s "$cyclops" "$T/cyclops"
cyclops=$T/cyclops

# Code that does not end well is an outcome: named, exit 1, nothing left running, and the rest is measured.
run() { "$cyclops" run --mcpu none --attempt 20 --budget 0 "$@"; }
for row in 'ud2;illegal instruction' 'int3;trap' 'xor eax, eax|mov rax, [rax];segmentation fault|invalid memory' \
    'xor ecx, ecx|mov eax, 1|xor edx, edx|div ecx;arithmetic|division'; do
    expect 1 "${row#*;}" run --asm "$(sed 's/|/; /g' <<<"${row%%;*}")" --form looped
done
expect 1 'did not end|time' run --asm '1: jmp 1b' --form looped --timeout 0.3
expect 1 'add rbx, rcx' run --asm 'ud2' --asm 'add rbx, rcx' --form looped
[ -z "$(pgrep -f "$cyclops")" ] || { echo "FAILED: left running: $(pgrep -fa "$cyclops")"; failures=$((failures + 1)); }

# A journal is appended to: a header for each run, so that no value stands under another host or target.
for kernel in add-r64 imul-r64; do
    expect 0 "$kernel" run "$kernel" --target sim:skylake --output "$T/journal"
done
expect 0 '^ 2 host 4 measurement' bash -c "jq -r .record '$T/journal' | sort | uniq -c | tr -s '\n ' '  '"

# A run that goes on does so where the last one measured; what another CPU says is not taken for this one's.
last=$(taskset -cp $$ | grep -oE '[0-9]+$')
if [ "$(nproc)" -gt 1 ]; then
    run add-r64 --output "$T/pinned" --cpu "$last" >/dev/null
    run imul-r64 --output "$T/pinned" --resume >/dev/null 2>&1
    expect 0 "^$last\$" bash -c "jq -r 'select(.record == \"host\").pinned_to' '$T/pinned' | sort -u | tr '\n' ' ' | sed 's/ $//'"
    other=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
    expect 0 "made on another CPU than CPU $other, and are not taken; --cpu $last" \
        run add-r64 --output "$T/pinned" --resume --cpu "$other"
fi

# Boost is switched off while measuring, said so, and switched on again at every end.
cpufreq=$T/root/sys/devices/system/cpu/cpufreq
mkdir -p "$cpufreq" && cp -r --parents /proc/cpuinfo "$T/root/" 2>/dev/null
boost() { echo 1 >"$cpufreq/boost"; CYCLOPS_FSROOT=$T/root "$@"; } # also what it calls
comes_back() { # the guardian may take a moment
    for _ in $(seq 300); do
        [ ! -e "$T/root/run/cyclops/settings.json" ] && [ "$(cat "$cpufreq/boost")" = 1 ] && echo restored && return
        sleep 0.1
    done
    return 1
}
boost run add-r64 --json >"$T/boosted"
expect 0 '"turbo":"off"' head -1 "$T/boosted"
expect 0 '^1' cat "$cpufreq/boost"
boost run add-r64 --json --keep-frequency >"$T/boosted"
expect 0 '"turbo":"on"' head -1 "$T/boosted"
boost "$cyclops" run $("$cyclops" list kernels --isa x86_64 --json | jq -r .kernel) --mcpu none --json | head -1 >/dev/null
expect 0 restored comes_back
boost timeout -s TERM 0.4 "$cyclops" run $("$cyclops" list kernels --isa x86_64 --json | jq -r .kernel) --mcpu none >/dev/null 2>&1
expect 0 restored comes_back

finish
