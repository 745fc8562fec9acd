#!/usr/bin/env bash
# RISC-V boards that lack vectors, elements of 64 bits, halves, long registers, or a policy: each form that they trap at
# is left out by name, and nothing else is. An assembler that is older than a form.  vectors-lacking.sh BUILD
. "$(dirname "$0")/lib.sh"
qemu="qemu-riscv64"
command -v $qemu riscv64-linux-gnu-as >/dev/null || skip "there is no $qemu, or no assembler of RISC-V"
[ -e "$build/lib/cyclops/runner-riscv64" ] || skip "there is no runner of RISC-V"

pairs=(--vector e8m1,e16m1,e32m1,e64m1)
expect 0 . "$cyclops" survey VADD_VV VFADD_VF "${pairs[@]}" --isa riscv64 --bundle "$T/probe" --output "$T/board"

# on CPU: measures there, into the folder $T/CPU, and prints the forms that trap, on one line.
on() {
    cp -r "$T/board" "$T/$1"
    emulate "$T/back" $qemu -cpu "rv64,vext_spec=v1.0,$1" "$T/probe"
    cat "$T/back" >>"$T/$1/measurements.jsonl"
    "$cyclops" table "$T/$1" --left-out --json --mcpu none >"$T/table"
    jq -rs '[.[] | select(.left_out == "illegal instruction").form] | join(" ")' "$T/table"
}
all='VADD_VV-e16m1 VADD_VV-e32m1 VADD_VV-e64m1 VADD_VV-e8m1 VFADD_VF-e16m1 VFADD_VF-e32m1 VFADD_VF-e64m1'
expect 0 "^$all\$" on v=false
# An emulator's measurements name this machine, whose models are of another ISA: no model stands beside.
expect 0 'VADD_VV-e64m1.*illegal instruction' one_line "$cyclops" table "$T/v=false" --left-out
expect 2 'none of 8 forms with a vector configuration has a value; of 7 the reason is: illegal instruction' \
    "$cyclops" table "$T/v=false" --vector --mcpu none
expect 0 'VFADD_VF-e8m1.*it has no elements of 8 bits' one_line "$cyclops" table "$T/v=false" --left-out --mcpu none
expect 0 '^VADD_VV-e64m1 VFADD_VF-e16m1 VFADD_VF-e64m1$' on Zve32f=true,elen=32
expect 0 '^VFADD_VF-e16m1$' on v=true,Zfh=false

# Registers of 64 bits: of all 22 pairs, those with 64 bits, and groups that are too small a part of a register.
expect 0 . "$cyclops" survey VADD_VV --vector all --isa riscv64 --bundle "$T/probe" --output "$T/pairs"
rm -r "$T/board" && mv "$T/pairs" "$T/board"
expect 0 '^VADD_VV-e16mf4 VADD_VV-e32mf2 VADD_VV-e64m1 VADD_VV-e64m2 VADD_VV-e64m4 VADD_VV-e64m8 VADD_VV-e8mf8$' \
    on Zve32f=true,elen=32,vlen=64

# A board that traps at a policy, as one whose `vsetvli` with "tail undisturbed" is another instruction.
mkdir "$T/traps"
printf '#!/bin/sh\nsed "s/^.*vsetvli.*, tu,.*/unimp/" | exec %s "$@"\n' "$(command -v riscv64-linux-gnu-as)" \
    >"$T/traps/riscv64-linux-gnu-as"
chmod +x "$T/traps/riscv64-linux-gnu-as"
rm -r "$T/board"
expect 0 . env PATH="$T/traps:$PATH" "$cyclops" survey VADD_VV --vector e32m1,e32m1-mu,e32m1-tu,e32m1-tu-mask --isa riscv64 \
    --bundle "$T/probe" --output "$T/board"
expect 0 '^VADD_VV-e32m1-tu VADD_VV-e32m1-tu-mask$' on v=true,vlen=256

# No length is zero, and other ISAs have no such thing.
expect 2 "'e32m1-zero' is no vector configuration" "$cyclops" survey VADD_VV --vector e32m1-zero --isa riscv64 --output "$T/none"
expect 2 "no instruction of x86_64.* has a vector configuration: '--vector' is for RISC-V" \
    "$cyclops" list forms ADD64rr --vector all --isa x86_64
expect 2 'none of these forms can be measured; VADD_VV-e32m1: the model does not describe it' \
    "$cyclops" survey VADD_VV --vector e32m1 --isa riscv64 --target sim:sifive-u74 --output "$T/none"

# What the assembler does not know is named.
mkdir "$T/bin"
printf '#!/bin/sh\nsed s/vadd\\\\.vv/vadd.of_tomorrow/ | exec %s "$@"\n' "$(command -v riscv64-linux-gnu-as)" >"$T/bin/riscv64-linux-gnu-as"
chmod +x "$T/bin/riscv64-linux-gnu-as"
expect 0 'kernels? cannot be made, of the forms VADD_VV-e32m1: as: unrecognized opcode .vadd\.of_tomorrow' \
    env PATH="$T/bin:$PATH" "$cyclops" survey VADD_VV VSUB_VV --vector e32m1 --isa riscv64 --target sim:sifive-p670 --output "$T/old"
expect 0 'VADD_VV-e32m1.*not by this assembler' one_line "$cyclops" table "$T/old" --left-out
finish
