#!/usr/bin/env bash
# Functions with calls, loops, tables and variables give the results under Cyclops that they give in a program: AArch64
# and RISC-V, both ways under an emulator, from an object and from a linked program; one also from the compiler's
# assembly. Of several regions in a text, each has its own outcome.  functions-qemu.sh BUILD
. "$(dirname "$0")/lib.sh"
names='calls tables variables choices'

# run_bundle ISA QEMU FILE NAME…: "NAME OUTCOME" of each check.
run_bundle() {
    local isa=$1 qemu=$2 file=$3 name
    shift 3
    for name; do
        "$cyclops" bundle --isa "$isa" --form looped "$file" --symbol "check_$name" --output "$T/bundle" || return 1
        emulate "$T/run" $qemu "$T/bundle"
        jq -r --arg name "$name" 'select(.record == "measurement") | "\($name) \(.outcome)"' "$T/run"
    done
}

n_tried=0
try() { # ISA GCC QEMU THING…
    local isa=$1 gcc=$2 qemu=$3 results wrong thing
    shift 3
    [ -e "$build/lib/cyclops/runner-$isa" ] && command -v "$gcc" "${qemu%% *}" >/dev/null || return
    "$gcc" -O1 -static "$here/qemu/functions.c" -o "$T/native" && $qemu "$T/native" >"$T/results" || exit 1
    results=$(sed 's/\(.*\) \(.*\)/CHECK(\1, \2)/' "$T/results" | tr '\n' ' ')
    wrong=$(sed 's/\(.*\) \(.*\)/CHECK(\1, \2 + 1)/' "$T/results" | tr '\n' ' ')
    "$gcc" -O2 -DRESULTS="$results" -c "$here/qemu/functions.c" -o "$T/object" || exit 1
    "$gcc" -O2 -DRESULTS="$wrong" -c "$here/qemu/functions.c" -o "$T/wrong" || exit 1
    echo 'int main(void) { return 0; }' >"$T/main.c"
    "$gcc" -O1 -x c "$T/main.c" -x none "$T/object" -o "$T/program" || exit 1
    for thing; do
        run_bundle "$isa" "$qemu" "$T/$thing" $names >"$T/outcomes"
        expect 0 '^calls null tables null variables null choices null $' bash -c "tr '\n' ' ' <'$T/outcomes'"
    done
    run_bundle "$isa" "$qemu" "$T/wrong" tables >"$T/outcomes"
    expect 0 '^tables (trap|illegal instruction)' cat "$T/outcomes" # one that is off by one is found
    "$gcc" -O2 -DRESULTS="$results" -S "$here/qemu/functions.c" -o "$T/text.s" || exit 1
    run_bundle "$isa" "$qemu" "$T/text.s" choices >"$T/outcomes"
    expect 0 '^choices null$' cat "$T/outcomes"
    "$cyclops" bundle --isa "$isa" --form looped "$T/$isa.s" --output "$T/bundle" || exit 1
    emulate "$T/run" $qemu "$T/bundle"
    expect 0 '^null (trap|illegal instruction) $' bash -c \
        "jq -r 'select(.record == \"measurement\") | .outcome' '$T/run' | tr '\n' ' '"
    n_tried=$((n_tried + 1))
}
# Two regions with one computation, of which the second one states a wrong result.
regions() { # COMMENT CODE: a %s in it is for the result
    for result in 35 36; do
        printf '%s LLVM-MCA-BEGIN of%s\n' "$1" $result
        printf "$2" $result
        printf '1:\n%s LLVM-MCA-END of%s\n' "$1" $result
    done
}
regions // 'mov x0, #5\nmov x1, #7\nmul x0, x0, x1\ncmp x0, #%s\nb.eq 1f\nudf #0\n' >"$T/aarch64.s"
regions '#' 'li a0, 5\nli a1, 7\nmul a0, a0, a1\nli a2, %s\nbeq a0, a2, 1f\nunimp\n' >"$T/riscv64.s"
try aarch64 aarch64-linux-gnu-gcc "qemu-aarch64 -cpu max" object program
try riscv64 riscv64-linux-gnu-gcc "qemu-riscv64 -cpu rv64" object program
[ $n_tried -gt 0 ] || skip "no runner of another ISA that there is a compiler and an emulator for"
finish
