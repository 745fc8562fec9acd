#!/usr/bin/env bash
# RISC-V: what vector programs with random types, lengths, policies and masks compute is what a scalar model computes,
# with registers of three lengths, under emulation.  vector-results.sh BUILD
. "$(dirname "$0")/lib.sh"
command -v qemu-riscv64 riscv64-linux-gnu-gcc >/dev/null || skip "there is no qemu-riscv64, or no compiler of RISC-V"
expect 0 '^registers of 512 bits: 200 equal' "$here/../scripts/study-forms-qemu" riscv64 --results 200 --build "$build"
cp "$T/out" "$T/results"
expect 0 ^3$ grep -cE "^registers of (128|256|512) bits: 200 equal, .*; 1[0-9]{2} of [0-9]+ opcodes compared" "$T/results"
finish
