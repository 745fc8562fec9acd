#!/usr/bin/env bash
# cyclops cpu import survey: what a simulated CPU measures comes back, on the base of another one; what people wrote is
# kept; a second import changes nothing; bad input.  cpu-import.sh BUILD
. "$(dirname "$0")/lib.sh"
forms=(ADDPSrr MULPSrr VFMADD231PSYr IMUL64rr ADC64rr SHLD64rri8 MUL64r DIVPSrr PMULLDrr MOV64rm ADD64rm MOVAPSrm PADDDrr
    MOV64toPQIrr MOVPQIto64rr PMOVMSKBrr SBB32rr SBB64rr SETCCr CMOV64rr RCL64r1)
"$cyclops" survey "${forms[@]}" --isa x86_64 --target sim:skylake,noise=none --output "$T/s" >"$T/messages" 2>&1 ||
    { cat "$T/messages"; failures=1; }

cat >"$T/haswell.cpu.yaml" <<'END'
cpu: 1
name: haswell
base: haswell
parameters:
  # By hand.
  dispatch-width: {value: 4, trust: published, source: a manual}
  micro-fusion: 1
  moves-eliminated: 1
forms:
  - {match: CDQ, latency: 9}
END
sed 's/^base: .*/base: skylake/; s/^name: .*/name: skylake/' "$T/haswell.cpu.yaml" >"$T/skylake.cpu.yaml"
import=("$cyclops" cpu import survey "$T/s" --base "$T/haswell.cpu.yaml")
# What LLVM lets setcc know of its destination has no number in a CPU file: two values. To LLVM bt writes all flags; in a
# CPU file it leaves those that sete and cmove read, so that three more chains are none.
expect 0 '^file: +[0-9]+ values: [0-5] off by more than 5 %' "${import[@]}" --output "$T/new.cpu.yaml"
expect 0 '# By hand\.' cat "$T/new.cpu.yaml"
expect 0 'match: CDQ, latency: 9' cat "$T/new.cpu.yaml"
expect 0 'load-latency: \{value: 5, trust: measured' cat "$T/new.cpu.yaml"

# Latencies that differed are those of the simulated CPU now, but for the parts of sums, which are free.
known='ADDPSrr MULPSrr VFMADD231PSYr IMUL64rr ADC64rr SHLD64rri8 MUL64r DIVPSrr PMULLDrr PADDDrr'
# shellcheck disable=SC2086
"$cyclops" cpu diff "$T/haswell.cpu.yaml" "$T/skylake.cpu.yaml" $known >"$T/before"
grep -qE '^ *ADDPSrr +latency +3 +4' "$T/before" || { echo "FAILED: the two models do not differ"; failures=1; }
# shellcheck disable=SC2086
"$cyclops" cpu diff "$T/new.cpu.yaml" "$T/skylake.cpu.yaml" $known >"$T/after"
if grep -E '^ *[A-Z0-9a-z]+ +(latency|slots|serial|rename) ' "$T/after"; then
    echo "FAILED: these did not come back" && failures=1
fi

# A table has the file's own numbers, and not those of its base.
printf 'cpu: 1\nname: slow\nbase: skylake\nforms: [{match: IMUL64rr, slots: 3, latency: 9, serial: 5}]\n' >"$T/slow.cpu.yaml"
expect 0 '^IMUL64rr,latency,.*,9,5,3$' "$cyclops" table "$T/s" --csv --mcpu "$T/slow.cpu.yaml"
expect 0 '^ADDPSrr,latency,.*,4,0\.5,1$' "$cyclops" table "$T/s" --csv --mcpu "$T/slow.cpu.yaml"
expect 0 '^MOV64rm,latency,.*,5,0\.5,1$' "$cyclops" table "$T/s" --csv --mcpu "$T/slow.cpu.yaml"

# The file that an import wrote is a base as well, and its output is the same.
expect 0 '^base: +[0-9]+ values' "$cyclops" cpu import survey "$T/s" --base "$T/new.cpu.yaml" --output "$T/again.cpu.yaml"
cmp "$T/new.cpu.yaml" "$T/again.cpu.yaml" || failures=$((failures + 1))

# Loads of vectors: 6 cycles, as sums with moves back to general registers show. Where the survey has not these moves, the
# base's, which are too short, would make it 8.
loads=(VPADDBZ256rm VSUBPDZ128rm VPORQZ128rmbkz VADDPSrm)
printf 'cpu: 1\nname: zen4\nbase: znver4\nparameters:\n  dispatch-width: 6\n' >"$T/zen4.cpu.yaml"
{
    printf 'cpu: 1\nname: loads\nbase: znver4\nparameters:\n  dispatch-width: 6\n  load-latency-vector: 6\n'
    printf 'forms:\n  - {match: "VMOV(64toPQI|PQIto64)rr", latency: 3}\n'
} >"$T/loads.cpu.yaml"
for way in with without; do
    back=(VMOVPQIto64rr VMOV64toPQIrr XOR64rr)
    [ $way = with ] || back=()
    "$cyclops" survey "${loads[@]}" "${back[@]}" --isa x86_64 --target "sim:$T/loads.cpu.yaml,noise=none" \
        --output "$T/$way" >"$T/messages" 2>&1
    expect 0 '^file: +[0-9]+ values: 0 off' "$cyclops" cpu import survey "$T/$way" --base "$T/zen4.cpu.yaml" --output "$T/$way.cpu.yaml"
done
expect 0 'load-latency-vector: \{value: 6,' cat "$T/with.cpu.yaml"
if grep load-latency-vector "$T/without.cpu.yaml"; then echo "FAILED: nothing shows that" && failures=1; fi

# What leads back from operations of known latencies has the rest of their sums, however many follow it in a circle.
printf 'cpu: 1\nname: truth\nbase: znver4\nforms:\n  - {match: VPTESTMDZrr, latency: 5}\n' >"$T/truth.cpu.yaml"
"$cyclops" survey --isa x86_64 --target "sim:$T/truth.cpu.yaml,noise=none" --output "$T/masks" VPTESTMDZrr 'VPMOVM2DZr[rk]' \
    'V(ADD|SUB|MUL)P[SD]Z128rrk' 'VMOVDQA32Z(128)?rrk' >"$T/messages" 2>&1 || cat "$T/messages"
expect 0 '^file:' "$cyclops" cpu import survey "$T/masks" --base "$T/zen4.cpu.yaml" --output "$T/masks.cpu.yaml"
expect 0 'match: VPTESTMDZrr, latency: 5}' cat "$T/masks.cpu.yaml"

# Where all that leads back is known, the rest of a sum is the form's: what is loaded comes later than the other operand.
{
    cat "$T/loads.cpu.yaml"
    printf '  - {match: VADDPSrm, latency: 5, latency-from: {"0": 3}}\n'
} >"$T/late.cpu.yaml"
"$cyclops" survey "${loads[@]}" VMOVPQIto64rr VMOV64toPQIrr XOR64rr --isa x86_64 --target "sim:$T/late.cpu.yaml,noise=none" \
    --output "$T/late" >"$T/messages" 2>&1 || cat "$T/messages"
expect 0 '^file: +[0-9]+ values: 0 off' "$cyclops" cpu import survey "$T/late" --base "$T/zen4.cpu.yaml" --output "$T/from.cpu.yaml"
expect 0 'match: VADDPSrm, latency: 5, latency-from: .?."0": 3\}' cat "$T/from.cpu.yaml"

expect 2 'is there already; --force' "${import[@]}" --output "$T/new.cpu.yaml"
expect 0 '^file:' "${import[@]}" --output "$T/new.cpu.yaml" --force
expect 2 '\-\-base names what' "$cyclops" cpu import survey "$T/s" --output "$T/x.cpu.yaml"
expect 2 '\-\-output names the file' "${import[@]}" --output "$T/x.yaml"
expect 2 'none.*no such file|No such file' "$cyclops" cpu import survey "$T/none" --base skylake --output "$T/x.cpu.yaml"
finish
