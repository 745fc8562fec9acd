#!/usr/bin/env bash
# CPU files against published measurements: 200 blocks of BHive with its values on Skylake, every 95th of a part of them.
# Source: https://github.com/ithemal/bhive (Y. Chen and others, "BHive", IISWC 2019), under the MIT licence. The limit is
# the error of the day that this test was written, 4.85 %, and half a point.  cpu-files.sh BUILD
. "$(dirname "$0")/lib.sh"
blocks=$here/blocks/bhive-skylake.csv
"$cyclops" corpus score --measured "$blocks" --mcpu cpu:skylake --mcpu skylake --csv >"$T/scores" 2>"$T/messages" ||
    { cat "$T/messages"; failures=1; }
error() {
    awk -F, -v model="$1" '$1 ~ model && $3 == "\"all\"" && $4 == 200 { print $5 }' "$T/scores"
}
own=$(error '^cpu:skylake$') llvm=$(error '/skylake$')
echo "mean error of cpu:skylake $own, of LLVM's model $llvm"
awk -v own="$own" -v llvm="$llvm" 'BEGIN { exit !(own > 0 && own < 0.0535 && llvm > 2 * own) }' ||
    { echo "FAILED: the CPU file is worse than it was, or no better than LLVM's model"; failures=1; }
# The worst blocks name the bound that limits them.
expect 0 'dispatch width|dependency chain|SKLPort|predecode|decoders' \
    "$cyclops" corpus score --measured "$blocks" --mcpu cpu:skylake --worst 5

# A block is explained by this CPU's file; where there is none, it says what to give.
printf 'addq %%rax, %%rbx\nimulq %%rbx, %%rax\n' >"$T/two.s"
explained=$("$cyclops" explain "$T/two.s" 2>&1 | tr '\n' ' ')
case $explained in
cpu:*': 4.00 cycles per iteration'* | *'explained by a CPU file, and there is none of this CPU: give --mcpu cpu:NAME'*) ;;
*) echo "FAILED: explain of a file: $explained"; failures=1 ;;
esac

# `explain` predicts the very bytes that `run` measures: with its loop, or as the block's own.
for block in 'add rax, rbx' 'push rax; pop rbx; add rsp, 8' 'adc rax, rbx; mov [rdi], rax' 'L: add rax, rbx; dec rdx; jne L' \
    'push rax; pop rbx' 'popcnt rax, r15; imul r14, r13; xor ecx, ecx' 'xor r8d, r8d; mov r9, [r9 + r8*8 + 64]'; do
    for form in unrolled looped; do
        wanted=$("$cyclops" run --asm "$block" --form $form --isa x86_64 --target sim:skylake,noise=none \
            --mcpu cpu:skylake --json 2>"$T/messages" | sed -n 's/.*"model":"cpu:skylake","cycles":\([0-9.]*\).*/\1/p')
        got=$("$cyclops" explain "$block" --form $form --mcpu cpu:skylake --json | sed 's/.*"form":"[a-z]*","cycles":\([0-9.]*\).*/\1/')
        [ -n "$wanted" ] && awk -v a="$wanted" -v b="$got" 'BEGIN { exit !(a - b < 1e-4 && b - a < 1e-4) }' ||
            { echo "FAILED: '$block' $form: explain $got, run $wanted"; failures=1; }
    done
done

# Nor does a loop set the stack pointer that a block puts back by itself, as a trial on the CPU finds.
for block in 'push rax; pop rbx' 'push rax; add rsp, 8' 'push rbp; mov rbp, rsp; sub rsp, 32; leave' \
    'push rcx; lea rsp, [rsp + 8]' 'sub rsp, 8; push rax; pop rbx; add rsp, 8'; do
    "$cyclops" explain "$block" --form looped --mcpu cpu:skylake >"$T/explained" || failures=1
    ! grep 'mov rsp, [0-9]' "$T/explained" || { echo "FAILED: '$block' is given another stack pointer"; failures=1; }
done
for block in 'push rax' 'sub rsp, 8; push rax; pop rbx' 'and rsp, -32'; do
    expect 0 'mov rsp, [0-9]' "$cyclops" explain "$block" --form looped --mcpu cpu:skylake
done

# Each installed file is read with each LLVM, and states of which CPUs it is.
for file in "$here"/../cpus/*.cpu.yaml; do
    name=$(basename "$file" .cpu.yaml)
    grep -q '^identity:' "$file" || { echo "FAILED: $file has no identity"; failures=1; }
    for module in "$build"/lib/cyclops/cyclops-llvm-*.so; do
        version=${module##*-} version=${version%.so}
        expect 0 "^$name on " "$cyclops" cpu show "cpu:$name" --llvm "$version"
    done
done

# 2,000 blocks measured on another Zen 4 than the one of the file: errors of the day of this test (7.5 and 5.7 %) and half a
# point; LLVM's model is more than three times as far off.
"$cyclops" corpus score --measured "$here/../results/measured/corpus-znver4.csv" --mcpu cpu:zen4 --mcpu znver4 --csv \
    >"$T/scores" 2>"$T/messages" || { cat "$T/messages"; failures=1; }
awk -F, '$3 == "\"all\"" { error[($1 ~ /^cpu:/ ? "own " : "llvm ") $2] = $5 }
    END { exit !(error["own unrolled"] < 0.080 && error["own looped"] < 0.062 && error["own looped"] > 0 &&
                 error["llvm unrolled"] > 3 * error["own unrolled"] && error["llvm looped"] > 3 * error["own looped"]) }' \
    "$T/scores" || { echo "FAILED: cpu:zen4 is worse than it was, or no better than LLVM's model"; cat "$T/scores"; failures=1; }

# What people wrote about a file wraps, too.
expect 0 '^80$' sh -c "COLUMNS=80 '$cyclops' cpu show cpu:zen5 | sed 's/ *$//' | awk '{ if (length(\$0) > most) most = length(\$0) }
    END { print (most > 80 ? most : 80) }'"

# The example of the page is a CPU file.
sed -n '/^    cpu: 1/,/^\*/s/^    //p' "$here/../docs/how-it-works/cpu-files.md" >"$T/mine.cpu.yaml"
expect 0 '3 rules for forms' "$cyclops" cpu show "$T/mine.cpu.yaml"

# Whose numbers a prediction stands on: the file's, LLVM's where it states none, and what nobody has stated.
# A load of 512 bits takes longer by what the file states; a broadcast of fewer does not.
printf 'cpu: 1\nname: wide\nbase: znver4\nparameters: {load-latency-vector: 6, load-latency-512-more: 3}\n' >"$T/wide.cpu.yaml"
for form in 'zmm0, zmm0, [rdi]=13' 'ymm0, ymm0, [rdi]=10' 'zmm0, zmm0, qword ptr [rdi]{1to8}=10'; do
    printf 'vaddpd %s\nvmovq rdi, xmm0\n' "${form%=*}" >"$T/wide.s"
    expect 0 "^cpu:wide, unrolled: ${form#*=}\.00 cycles" "$cyclops" explain "$T/wide.s" --mcpu "$T/wide.cpu.yaml" --form unrolled
done
printf '%s\n' 'cpu: 1' 'name: stated' 'base: skylake' 'parameters: {load-latency: 5, micro-fusion: 1}' \
    'forms:' '  - {match: IMUL64rr, slots: 1, latency: 3, pipes: [SKLPort1], trust: measured}' >"$T/stated.cpu.yaml"
simulated() {
    "$cyclops" run --asm "$1" --form unrolled --isa x86_64 --target sim:skylake,noise=none --mcpu "$T/stated.cpu.yaml" "${@:2}"
}
expect 0 '"instructions":2,"by_llvm":1}' simulated 'imul rax, rbx; add rax, rcx' --json
expect 0 '"by_llvm":0}' simulated 'imul rax, rbx; nop' --json
expect 0 '1 of 2 instructions by LLVM' simulated 'imul rax, rbx; add rax, rcx'
expect 0 '2 instructions: chains through the stack of x87' simulated 'imul rax, rbx; fld1; fstp st(0)'
expect 0 'states no slots, no latency, no pipes of instruction 2 of the block, add' \
    simulated 'imul rax, rbx; add rax, rcx' --assume nothing
expect 0 '3.00 ±' simulated 'imul rax, rbx' --assume nothing
printf '480fafc3,3\n480fafc34801c8,4\nd9e8ddd8,1\n' >"$T/three.csv"
expect 0 "file's numbers alone *1 " "$cyclops" corpus score --measured "$T/three.csv" --per 1 --isa x86_64 \
    --mcpu "$T/stated.cpu.yaml" --mcpu skylake --blocks "$T/blocks.csv"
grep -q "also by LLVM's numbers *2 " "$T/out" || { echo "FAILED: two blocks have numbers of LLVM's"; failures=1; }
expect 0 ',0,,static$' grep '^480fafc3,' "$T/blocks.csv"
expect 0 ',1,,static$' grep '^480fafc34801c8,' "$T/blocks.csv"
expect 0 ',2,x87-chains,static$' grep '^d9e8ddd8,' "$T/blocks.csv"
expect 0 ' 2$' sh -c "'$cyclops' corpus score --measured $T/three.csv --per 1 --isa x86_64 --mcpu $T/stated.cpu.yaml \
    --assume nothing | sed -n '/stated unrolled/p'"

# `run` without a model shows the file of this CPU, too, where there is one; one that is wrong is left out.
if [ "$(uname -m)" = x86_64 ]; then
    of() { sed -n "s/^$1[[:blank:]]*: //p" /proc/cpuinfo | head -1; }
    mkdir -p "$T/here/cyclops/cpus"
    export XDG_CONFIG_HOME=$T/here
    own=$T/here/cyclops/cpus/here.cpu.yaml
    printf 'cpu: 1\nname: here\nbase: skylake\nidentity: [{vendor: %s, family: %s, models: [%s]}]\n' \
        "$(of vendor_id)" "$(of 'cpu family')" "$(of model)" >"$own"
    expect 0 '^cpu:here is of this CPU' "$cyclops" cpu list
    expect 0 'cpu:here' "$cyclops" run add-r64 --mode latency
    expect 0 'latency' "$cyclops" run add-r64 --mode latency --mcpu none
    ! grep -q 'cpu:here' "$T/out" || { echo "FAILED: a model that --mcpu none excludes"; failures=1; }
    echo 'forms: [{match: NOSUCH}]' >>"$own"
    expect 0 'not by cpu:here: .*NOSUCH' "$cyclops" run add-r64 --mode latency
    unset XDG_CONFIG_HOME
    # What is begun on this CPU's model names that, so that it means the same elsewhere.
    expect 0 '^native on ' "$cyclops" cpu import --mcpu native --output "$T/native.cpu.yaml"
    ! grep -q '^base: native' "$T/native.cpu.yaml" || { echo "FAILED: a base that differs by machine"; failures=1; }
fi

# A user's file goes before an installed one.
mkdir -p "$T/config/cyclops/cpus"
printf 'cpu: 1\nname: zen4\nbase: skylake\n' >"$T/config/cyclops/cpus/zen4.cpu.yaml"
XDG_CONFIG_HOME=$T/config expect 0 '^zen4 on skylake' "$cyclops" cpu show cpu:zen4
finish
