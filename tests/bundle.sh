#!/usr/bin/env bash
# Bundles of every ISA that there is a runner and an emulator for: they run to their end, and what they write is a
# measurement file. Under an emulator a time means nothing, and none is looked at.
#     bundle.sh BUILD             those of this machine
#     bundle.sh BUILD emulated    all others
. "$(dirname "$0")/lib.sh"

n_tried=0
# cut_anywhere QEMU FILE: a copy of it that ends too early is refused, wherever it ends: by the kernel (126), by an emulator
# (255), or by its own first instructions.
cut_anywhere() {
    local size end got
    size=$(stat -c %s "$2")
    for end in 64 500 1000 1500 2000 2500 3000 4095 4096 5000 8192 $(seq 10000 $((size / 25)) "$size") $((size - 2)); do
        head -c "$end" "$2" >"$T/cut" && chmod +x "$T/cut"
        bash -c "$1 '$T/cut' --attempt 2 --budget 0" >"$T/out" 2>&1
        got=$?
        if [ $got != 2 ] && { [ "$end" -gt 4096 ] || [[ $got != 126 && $got != 255 ]]; }; then
            echo "FAILED: $2, cut after $end of $size bytes: exit $got"
            failures=$((failures + 1))
        elif [ $got = 2 ] && ! grep -qE '^cyclops: error: .*(end (of this file )?is missing)' "$T/out"; then
            echo "FAILED: $2, cut after $end bytes: $(cat "$T/out")"
            failures=$((failures + 1))
        fi
    done
}

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
            .isa == $isa and .record == "measurement" and .verdict)) | map("\(.n) \(.mode)") | join(" "))' "$T/$isa.jsonl"
    expect 0 '→ ratio clock' "$cyclops" run --from "$T/$isa.jsonl" --mcpu "$cpu"
    # MIPS has no check of its own, and its libc's start is the first to find that something is missing.
    [[ $isa == mips* ]] || cut_anywhere "$qemu" "$T/$isa"
}

# blocks ISA QEMU CHASE NULL GREEDY PLAIN: blocks that need memory where their registers happen to point. One stores an
# address and loads by what it has stored, and by what memory holds; one loads by a null register; one wants more pages
# than there are; one needs none. Each ends as it should, and none costs another one its value.
blocks() {
    local isa=$1 qemu=$2 status outcome n=0
    [ -e "$build/lib/cyclops/runner-$isa" ] && { [ -z "$qemu" ] || command -v ${qemu%% *} >/dev/null; } || return
    n_tried=$((n_tried + 1))
    "$cyclops" bundle --isa "$isa" --asm "$3" --asm "$4" --asm "$5" --asm "$6" --output "$T/blocks-$isa"
    emulate "$T/blocks.jsonl" $qemu "$T/blocks-$isa"
    status=$?
    [ $status = 1 ] || { echo "FAILED: $isa: exit $status of a runner whose programs fault"; failures=$((failures + 1)); }
    for outcome in value 'segmentation fault' 'too many pages' value; do
        n=$((n + 1))
        jq -se --arg kernel "${@:n+2:1}" --arg outcome "$outcome" '
            map(select(.kernel == $kernel)) | length == 2 and all(.[]; if $outcome == "value"
                then .outcome == null and .verdict != null else .outcome == $outcome end)' "$T/blocks.jsonl" >/dev/null ||
            { echo "FAILED: $isa: ${*:n+2:1}: no $outcome:"; cat "$T/blocks.jsonl"; failures=$((failures + 1)); }
        [ "$outcome" = value ] || expect 0 '^2$' grep -cE "^cyclops: error: .*: $outcome\$" "$T/blocks.jsonl.err"
    done
    expect 0 '^4$' grep -c '^cyclops: error: ' "$T/blocks.jsonl.err"
}

# survey_of ISA QEMU FORM: a survey's bundle measures each program that it has no condition for, and fills the folder.
survey_of() {
    local isa=$1 qemu=$2 wanted
    [ -e "$build/lib/cyclops/runner-$isa" ] && command -v ${qemu%% *} >/dev/null || return
    n_tried=$((n_tried + 1))
    expect 0 "measures [0-9]+ values" "$cyclops" survey "$3" --isa "$isa" --output "$T/s-$isa" --bundle "$T/b-$isa"
    wanted=$(sed -E 's/.* measures ([0-9]+) values.*/\1/; q' "$T/out")
    timeout 250 $qemu "$T/b-$isa" --resume --attempt 2 --budget 0 --output "$T/s-$isa/measurements.jsonl" >/dev/null 2>&1
    expect 0 "^$wanted of them, .*$3" jq -rs --argjson wanted "$wanted" 'map(select(.record == "measurement")) |
        "\(if length >= $wanted and all(.[]; .isa == "'"$isa"'") then $wanted else length end) of them, \(map(.kernel) |
        unique | join(" "))"' "$T/s-$isa/measurements.jsonl"
    expect 0 "$3" "$cyclops" table "$T/s-$isa" --mcpu none
}

if [ "${2:-}" = emulated ]; then
    survey_of aarch64 "qemu-aarch64 -cpu max" MADDXrrr
    survey_of riscv64 "qemu-riscv64" MUL
    survey_of armv7 "qemu-arm -cpu max" MUL
    survey_of mipsel "qemu-mipsel -cpu 74Kf" MUL
    try aarch64 "qemu-aarch64 -cpu max" aarch64-linux-gnu-as cortex-a76 add-x fmla-v4s
    try armv7 "qemu-arm -cpu cortex-a15" arm-linux-gnueabihf-as cortex-a57 add-r mul-r
    try riscv64 qemu-riscv64 riscv64-linux-gnu-as sifive-u74 add-x mul-x
    try mips "qemu-mips -cpu 74Kf" mips-linux-gnu-as overlay:mips-74k addu-r mul-r
    try mipsel "qemu-mipsel -cpu 74Kf" mipsel-linux-gnu-as overlay:mips-74k addu-r mul-r
    blocks aarch64 "qemu-aarch64 -cpu max" 'str x0, [sp, #-16]!; ldr x4, [sp]; ldr x5, [x4]; ldr x6, [x5]; ldr x7, [x2, #8]; ldr x8, [x7]' \
        'mov x1, #0; ldr x3, [x1]' '1: str x1, [x0]; add x0, x0, #4096; b 1b' 'add x0, x0, x1'
    blocks armv7 "qemu-arm -cpu cortex-a15" 'push {r0}; ldr r4, [sp]; ldr r5, [r4]; ldr r6, [r5]; ldr r7, [r2, #4]; ldr r8, [r7]' \
        'mov r1, #0; ldr r3, [r1]' '1: str r1, [r0]; add r0, r0, #4096; b 1b' 'add r0, r0, r1'
    blocks riscv64 qemu-riscv64 'addi sp, sp, -16; sd a0, 0(sp); ld a4, 0(sp); ld a5, 0(a4); ld a6, 0(a5); ld a7, 8(a2); ld t0, 0(a7)' \
        'ld a3, 0(zero)' 'lui t1, 1; 1: sd a1, 0(a0); add a0, a0, t1; j 1b' 'add a0, a0, a1'
    [ $n_tried -gt 0 ] || skip "no runner of another ISA that there is an emulator for"
    finish
fi

[ "$(uname -m)" != x86_64 ] || blocks x86_64 "" 'push rax; mov rbx, [rsp]; mov rcx, [rbx]; mov rdx, [rcx]; mov rsi, [rdi+8]; mov rsi, [rsi]' \
    'xor eax, eax; mov rbx, [rax]' '1: mov [rax], rbx; add rax, 4096; jmp 1b' 'add rax, rbx'

# What is not there is said, with what to do.
expect 2 'nothing to run' "$cyclops" bundle --output "$T/none"
expect 2 'where to write' "$cyclops" bundle add-r64 --isa x86_64
mkdir -p "$T/prefix/share" && ln -s "$build/share/cyclops" "$T/prefix/share/cyclops"
expect 77 'no runner for x86_64 .*gcc-x86-64-linux-gnu.*--runner' env CYCLOPS_PREFIX="$T/prefix" "$cyclops" bundle add-r64 --isa x86_64 --output "$T/none"
expect 2 "no/such" "$cyclops" bundle add-r64 --isa x86_64 --runner "$T/no/such" --output "$T/none"

if [ "$(uname -m)" = x86_64 ] && [ -e "$build/lib/cyclops/runner-x86_64" ]; then
    n_tried=$((n_tried + 1))
    "$cyclops" bundle add-r64 --asm 'add rax, rbx; nop' --output "$T/probe"
    expect 0 'add-r64 +latency +unrolled +1 +[0-9≈-]' "$T/probe" --attempt 20 --budget 0 --resume --output "$T/resumed.jsonl"
    expect 0 '^host measurement' bash -c "'$T/probe' --attempt 2 --budget 0 --json | jq -rs 'map(.record) | join(\" \")'"
    expect 0 '"pinned_to":0' "$T/probe" --attempt 2 --budget 0 --json --cpu 0
    expect 77 'CPU 1020' "$T/probe" --cpu 1020
    expect 2 'takes options only' "$T/probe" add-r64
    expect 2 "takes a number above 0, not 'much'" "$T/probe" --attempt much
    expect 2 'cannot write' "$T/probe" --output "$T/no/such/file"

    # A run goes on in its file. What is there counts only of this CPU; what was lost comes again.
    expect 2 'name it with --output' "$T/probe" --resume
    sed -i 's/"verdict":"unstable"/"verdict":"within"/' "$T/resumed.jsonl"
    sed 's/"family":[0-9]*/"family":1/' "$T/resumed.jsonl" >"$T/elsewhere.jsonl"
    sed -i '/"mode":"throughput"/d' "$T/resumed.jsonl"
    cat "$T/elsewhere.jsonl" >>"$T/resumed.jsonl"
    expect 0 'holds 3 of 4 values' "$T/probe" --resume --attempt 2 --budget 0 --output "$T/resumed.jsonl"
    expect 0 '^2 throughput$' jq -rs 'map(select(.mode == "throughput")) | "\(length) \(.[1].mode)"' "$T/resumed.jsonl"
    expect 77 'time was over before the clock' "$T/probe" --end 0.001

    # A program with a condition is measured where that holds: by values of this run, or of the one before.
    "$cyclops" bundle add-r64 --asm 'add rax, rbx; nop' --pack-only --output "$T/pack"
    when() { # LEAST MOST OUTPUT: the last program, where the first one's cycles are between these
        sed -e "s/^isa .*/&\nrule $(grep -c '^role ' "$T/pack") $1 $2/" -e '$s/^/when 0\n/' "$T/pack" >"$T/when"
        "$T/probe" --pack "$T/when" --attempt 2 --budget 0 --resume --output "$3" >/dev/null 2>&1
    }
    when 1e6 1e9 "$T/never.jsonl"
    expect 0 '^3$' grep -c '"record":"measurement"' "$T/never.jsonl"
    has_value() { grep -m 1 '"record":"measurement"' "$T/when.jsonl" | grep -q '"cycles":[0-9]'; }
    for _ in 1 2 3 4 5; do # without a steady clock the first one has no value, and no condition holds for it
        rm -f "$T/when.jsonl"
        when 0 1e9 "$T/when.jsonl"
        ! has_value || break
    done
    ! has_value || expect 0 '^4$' grep -c '"record":"measurement"' "$T/when.jsonl"
    sed -i '$d; s/"verdict":"unstable"/"verdict":"within"/' "$T/when.jsonl"
    when 0 1e9 "$T/when.jsonl"
    ! has_value || expect 0 '^4$' grep -c '"record":"measurement"' "$T/when.jsonl"

    # A survey for another machine: what needs no other value, and dispatch slots where they can be foreseen; then what
    # follows.
    expect 0 'measures [0-9]+ values, and of 3 those that follow' "$cyclops" survey BSWAP64r --output "$T/there" --bundle "$T/first"
    expect 0 'BSWAP64r.*throughput' "$T/first" --resume --attempt 20 --budget 0 --output "$T/there/measurements.jsonl"
    ! grep -q '"kernel":"BSWAP64r",.*"cycles":' "$T/there/measurements.jsonl" ||
        expect 0 '^BSWAP64r,throughput,.*,yes,' "$cyclops" table "$T/there" --csv --mcpu none
    # On a busy machine none may be stable, and each is wanted again: here they are called so. Slots are left for a second
    # trip.
    sed -i 's/"verdict":"unstable"/"verdict":"within"/; /"kernel":"BSWAP64r.slots/d' "$T/there/measurements.jsonl"
    ! grep -q '"cycles":' "$T/there/measurements.jsonl" ||
        expect 0 'measures [0-9]+ values?; [0-9]+ are there already' "$cyclops" survey --resume --output "$T/there" --bundle "$T/second"

    # A machine's card, in as many trips as it takes. Without a clock that is steady, no value is; the card says so.
    trips=0
    while [ $trips -lt 9 ]; do
        rm -f "$T/card"
        "$cyclops" machine costs --output "$T/machine" --resume --bundle "$T/card" >"$T/said" || break
        [ -e "$T/card" ] || break
        trips=$((trips + 1))
        "$T/card" --attempt 2 --budget 0 --json >>"$T/machine/measurements.jsonl" 2>/dev/null
    done
    expect 0 'Nothing is left to measure. The card: cyclops machine --resume --budget 0 --output' cat "$T/said"
    expect 0 '^[1-9]$' echo $trips # what is stable at once is not wanted again
    expect 0 'push-pop ' "$cyclops" machine costs --output "$T/machine" --resume --budget 0
    expect 1 '^0$' grep -c 'not measured yet' "$T/machine/card.yaml"
    # It is a card of whichever machine measured, and of one alone.
    sed 's/"cpu":"[^"]*"/"cpu":"Another CPU"/' "$T/machine/measurements.jsonl" >"$T/other.jsonl"
    mkdir "$T/other" && cp "$T/other.jsonl" "$T/other/measurements.jsonl"
    expect 0 'The card: ' "$cyclops" machine costs --output "$T/other" --resume --budget 0
    expect 0 '^measured_on: "Another CPU ' cat "$T/other/card.yaml"
    expect 0 '^about: "parameters found by experiments on Another CPU ' cat "$T/other/card.yaml"
    cat "$T/other.jsonl" >>"$T/machine/measurements.jsonl"
    expect 2 'measurements of several machines or clocks' "$cyclops" machine costs --output "$T/machine" --resume --budget 0
    expect 2 'is for another machine, and --target sim:znver4 is simulated here' "$cyclops" machine costs --target sim:znver4 \
        --output "$T/sim" --bundle "$T/card"

    # A corpus for another machine: what its folder lacks; what comes back is the folder's. Not measured here as well.
    printf '4801d8\n480fafc1\n0f05\n' >"$T/blocks.csv"
    corpus=("$cyclops" corpus run "$T/blocks.csv" --output "$T/blocks")
    expect 0 'measures 6 values; 0 are there already' "${corpus[@]}" --set 'mem[rdi]=7' --bundle "$T/corpus"
    expect 1 '480fafc1 +block +looped .*' "$T/corpus" --resume --attempt 2 --budget 0 --output "$T/blocks/measurements.jsonl"
    expect 0 '^4 null, 2 system call$' jq -rs '[.[] | select(.record == "measurement") | "\(.outcome)"] | group_by(.) |
        map("\(length) \(.[0])") | join(", ")' "$T/blocks/measurements.jsonl"
    expect 2 'another CPU' "${corpus[@]}" --set 'mem[rdi]=7' --resume
    sed -i 's/"verdict":"unstable"/"verdict":"within"/' "$T/blocks/measurements.jsonl"
    expect 0 'Nothing is left to measure: 6 values are there' "${corpus[@]}" --set 'mem[rdi]=7' --resume --bundle "$T/corpus"
    [ "$(grep -c '"form":"unrolled".*"cycles":[0-9]' "$T/blocks/measurements.jsonl")" -lt 2 ] || # as above
        expect 0 'unrolled +2 ' "$cyclops" corpus score "$T/blocks" --mcpu znver4

    # Damage on the way, anywhere, and another ISA's programs are refused.
    cp "$T/probe" "$T/damaged" && printf 'X' | dd of="$T/damaged" bs=1 seek=$(($(stat -c %s "$T/probe") - 300)) conv=notrunc 2>/dev/null
    expect 2 'damaged on its way' "$T/damaged"
    head -c -100 "$T/probe" >"$T/short" && chmod +x "$T/short"
    expect 2 'its end is missing' "$T/short"
    expect 2 'no programs in this file' "$build/lib/cyclops/runner-x86_64"
    cut_anywhere "" "$T/probe"

    # Code that faults is told, and does not stop the rest, as in 'cyclops run'; nor does it look like success.
    "$cyclops" bundle --asm 'ud2' --asm 'add rax, rbx' --form unrolled --output "$T/faulty"
    expect 1 '^cyclops: error: ud2 \(block, n = 1, unrolled\): illegal instruction$' "$T/faulty" --attempt 2 --budget 0
    expect 1 'add rax, rbx +block +unrolled' "$T/faulty" --attempt 2 --budget 0
    expect 1 '"outcome":"illegal instruction"' "$T/faulty" --attempt 2 --budget 0 --json
    sed 's/^isa .*/isa riscv64/' <("$cyclops" bundle add-r64 --pack-only --output /dev/stdout) >"$T/foreign"
    expect 2 'programs are for riscv64, but this runner is for x86_64' "$T/probe" --pack "$T/foreign"
fi
[ $n_tried -gt 0 ] || skip "no runner for this machine"
finish
