#!/usr/bin/env bash
# The tools of examples/compiler-explorer answer to calls as that site makes them: a file in, a text out, no network, no
# home folder, and nothing written.  compiler-explorer.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the texts are x86-64's"
cat >"$T/output.s" <<'S'
	.text
	.globl	_Z3mulx
_Z3mulx:
	.cfi_startproc
	imulq	%rdi, %rdi
	imulq	%rdi, %rdi
	.cfi_endproc
S
alone=()
! unshare -rn true 2>/dev/null || alone=(unshare -rn) # no network, not even a loopback
call() { one_line "${alone[@]}" "$here/../scripts/bench-compiler-explorer" --cyclops "$cyclops" --print "$@"; }

expect 0 'Total Cycles: +60[0-9] ' call cyclops-mca "$T/output.s" -O2 -march=znver4
expect 0 'Total Cycles: ' call cyclops-mca "$T/output.s" -O2 # the site adds -mcpu=generic
expect 0 '^core:zen4, unrolled Cycles per iteration: 6.00' call cyclops-mca "$T/output.s" -march=znver4 -mcpu=core:zen4
expect 0 '^cpu:zen4, unrolled: 6.00 cycles per iteration limit: latency' call cyclops-explain "$T/output.s" -march=znver4
expect 0 "^Cyclops has no file of the CPU 'generic'.* cpu:zen4 " call cyclops-explain "$T/output.s"
echo 'no such thing' >>"$T/output.s"
expect 1 'output.s.mca:8:[0-9]+: ' call cyclops-mca "$T/output.s" -march=znver4
# Each CPU that the wrapper knows is one of LLVM's or another name of gcc's, and has the file that it names.
for name in $(sed -n 's/.* cpu=cpu:\([a-z0-9-]*\) ;;$/\1/p' "$here/../examples/compiler-explorer/cyclops-explain"); do
    [ -e "$build/share/cyclops/cpus/$name.cpu.yaml" ] || { echo "FAILED: no CPU file $name"; failures=$((failures + 1)); }
done
finish
