#!/usr/bin/env bash
# cyclops survey and cyclops table on a simulated CPU, whose numbers are known; bad input; shards; an end in the middle.
#   survey.sh BUILD
. "$(dirname "$0")/lib.sh"
sim=(--isa x86_64 --target sim:znver4,noise=none)
forms=(ADD64rr IMUL64rr MUL64r CMP64rr INC64r ADD64rm 'VADDPS[YX]?rr' VFMADD231PSYr)
S=$T/s

# silent COMMAND...: it succeeds without a message.
silent() { expect 0 '^0$' bash -c 'out=$("$@" 2>&1 >/dev/null) || exit; printf "%s" "$out" >&2; echo -n "$out" | wc -c' - "$@"; }

# value FOLDER FORM SOURCE RESULT: relation and cycles of a latency, rounded to a tenth; "throughput" and nothing: that.
value() {
    "$cyclops" table "$1" --json --mcpu none | python3 -c '
import json, sys
form, source, result = sys.argv[1:]
for row in map(json.loads, sys.stdin):
    if row.get("form") != form:
        continue
    for latency in row["latencies"]:
        if (latency["source"], latency["destination"]) == (source, result):
            print(latency["relation"], "%.1f" % latency["cycles"])
    for throughput in row["throughputs"]:
        if source == "throughput" and throughput["headline"]:
            print(throughput["relation"], "%.2f" % throughput["cycles"])
    if source == "slots":
        print(row["slots"]["relation"], row["slots"]["slots"])
' "$2" "$3" "$4"
}

silent "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$S"
expect 0 '^Done after [0-9]+ s: 9 forms, 9 measured: [0-9]+ values \(0 unstable, [0-9]+ upper bounds\)' \
    "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$S" --resume
expect 0 "^The table: cyclops table $S" "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$S" --resume
for file in measurements.jsonl forms.jsonl kernels/x86_64/survey.yaml kernels/x86_64/slots.yaml; do
    [ -s "$S/$file" ] || { echo "FAILED: there is no $file"; failures=$((failures + 1)); }
done

# The first look at a value leaves it unstable; after the second one, none is so for that reason.
expect 0 '^[1-9][0-9]' grep -c '"verdict":"unstable".*"look":"first"' "$S/measurements.jsonl"
expect 0 '^0$' bash -c '"$1" table "$2" --csv --mcpu none | grep -c "at one time" || true' - "$cyclops" "$S"

# LLVM's numbers come back.
while read -r form source result wanted; do
    expect 0 "^$wanted\$" value "$S" "$form" "$source" "${result/none/}"
done <<'WANTED'
ADD64rr 0 0 equal 1.0
ADD64rr 2 0 equal 1.0
ADD64rr 2 flags.carry equal 1.0
ADD64rr throughput none equal 0.25
IMUL64rr 2 0 equal 3.0
IMUL64rr throughput none equal 1.00
MUL64r 0 rax equal 3.0
CMP64rr 0 flags.zero equal 1.0
ADD64rm 2.base 0 equal 5.0
VADDPSYrr 1 0 equal 3.0
VADDPSYrr throughput none equal 0.50
VFMADD231PSYr 0 0 equal 4.0
VFMADD231PSYr 2 0 equal 4.0
ADD64rr slots none equal 1.0
MUL64r slots none equal 2.0
ADD64rm slots none equal 1.0
WANTED
# Where a way back crosses between two kinds of registers, only the sum is known; unless each step takes one cycle.
for cpu in skylake znver4; do
    silent "$cyclops" survey MOV64toPQIrr --isa x86_64 --target sim:$cpu,noise=none --attempt 200 --output "$T/$cpu"
done
expect 0 '^at most ' value "$T/skylake" MOV64toPQIrr 1 0
expect 0 '^equal 1\.0$' value "$T/znver4" MOV64toPQIrr 1 0

# Other ISAs: flags by zero and carry, addresses, sums across register files, a core that issues in order.
other() { # other CPU ISA FORM...
    silent "$cyclops" survey "${@:3}" --isa "$2" --target "sim:$1,noise=none" --attempt 200 --output "$T/$1"
}
other neoverse-n1 aarch64 ADDXrs SUBSXri ADCXr LDRXui FMLAv4f32 FMOVXDr
other neoverse-v2 aarch64 AND_PPzPP LDRXroX ADD_ZPmZ_S
other cortex-a55 aarch64 LDRBBui FMLAv4f32
other sifive-p670 riscv64 LD FADD_D C_ADD AMOADD_D VLUXEI32_V
other cortex-a57 armv7 ADCrr CMPrr VMLALsv2i64
other overlay:mips-24kc mips MULT
while read -r cpu form source result wanted; do
    expect 0 "^$wanted\$" value "$T/$cpu" "$form" "$source" "${result/none/}"
done <<'WANTED'
neoverse-n1 ADDXrs 1 0 equal 1.0
neoverse-n1 SUBSXri 1 flags.zero equal 1.0
neoverse-n1 SUBSXri 1 flags.carry equal 1.0
neoverse-n1 ADCXr flags 0 equal 1.0
neoverse-n1 LDRXui 1.base 0 equal 4.0
neoverse-n1 LDRXui throughput none equal 0.50
neoverse-n1 FMLAv4f32 0 0 equal 4.0
neoverse-n1 FMLAv4f32 2 0 equal 4.0
neoverse-n1 FMOVXDr 1 0 at most 4.0
neoverse-v2 AND_PPzPP 1 0 equal 1.0
neoverse-v2 LDRXroX 2.index 0 equal 4.0
neoverse-v2 ADD_ZPmZ_S 3 0 equal 2.0
cortex-a55 LDRBBui 1.base 0 equal 3.0
cortex-a55 FMLAv4f32 2 0 equal 4.0
sifive-p670 LD 1.base 0 equal 4.0
sifive-p670 FADD_D throughput none equal 0.50
sifive-p670 C_ADD 2 0 equal 1.0
sifive-p670 VLUXEI32_V 2.index 0 equal 1[28].0
cortex-a57 CMPrr 1 flags.zero equal 1.0
cortex-a57 CMPrr 1 flags.carry equal 1.0
cortex-a57 ADCrr flags 0 equal 1.0
cortex-a57 VMLALsv2i64 2 0 equal 5.0
overlay:mips-24kc MULT 0 lo at most 5.0
WANTED
expect 0 'ADDXrs +add x0, x1, x2, lsl #1 +1 +0\.333 ' "$cyclops" table "$T/neoverse-n1"
silent bash -c "'$cyclops' survey LD2Twov4s ADDXrs --isa aarch64 --target sim:neoverse-n1,noise=none --output '$T/reasons'"
expect 0 '^ +its operand is a list of registers in a row' "$cyclops" table "$T/reasons" --left-out

# Forms that need something around them. LLVM's models do not know how x87 waits. survey-here.sh runs them on this CPU.
silent "$cyclops" survey "${odd_forms[@]}" "${sim[@]}" --attempt 200 --output "$T/odd"
while read -r form source result wanted; do
    expect 0 "^$wanted\$" value "$T/odd" "$form" "$source" "${result/none/}"
done <<'WANTED'
LEA64r 1.base 0 equal 1.0
LEA64r-base-scaled-disp 1.index 0 equal 2.0
LEA64r-rip throughput none equal 0.33
PUSH64r throughput none at most 1.(00|1[23])
LODSQ throughput none at most (34.0[01]|33.99)
MMX_PADDBrr 2 0 equal 1.0
ADD_FST0r st0 st0 at most 0.5
ADD_FrST0 throughput none equal 0.50
VGATHERDPSYrm 3.index 0 equal 5.0
LDMXCSR throughput none equal 1.50
ADD8rr-high0 0 0 equal 1.0
ADD8rr-high0 2 0 equal 1.0
ADD8rr-high0 2 0.whole equal 1.0
ADD8rr-high2 2 0 equal 1.0
MOVZX32rr8-high1 1 0 equal 1.0
LAHF flags ah equal 1.0
ADC64rr flags 0 equal 1.0
ADC64rr flags.carry 0 equal 1.0
WANTED
expect 0 '^none$' left_out "$T/odd"

# The reports.
expect 0 'ADD64rr +addq.* 1 +0\.25 +1 +1 +0\.25$' "$cyclops" table "$S" --mcpu llvm-19/znver4
expect 0 '1 → 0 +≤2 .*movq, together 3' "$cyclops" table "$T/skylake"
expect 0 '2 → flags\.carry +1 .*carry-movslq' "$cyclops" table "$S" --form ADD64rr
expect 0 '^ADD64rr,latency,2,0,' "$cyclops" table "$S" --csv
expect 0 '^MUL64r,slots,,,2,' "$cyclops" table "$S" --csv
expect 0 "^Dispatch: (6|5.99) slots a cycle, measured with 'xor'" "$cyclops" table "$S"
expect 0 'of (6|5.99) a cycle +2 .*exact' "$cyclops" table "$S" --form MUL64r
expect 0 'VADDPSYrr' "$cyclops" table "$S" --sort model --llvm 19
overlay o znver4 <<<'  - {match: ADD64rr, latency: 9}' >"$T/o.yaml"
expect 2 'which an overlay does not change' "$cyclops" table "$S" --mcpu "$T/o.yaml"
expect 0 '^Scheduling classes whose forms differ: [0-9]+$' "$cyclops" table "$S" --classes --mcpu none
expect 0 '^class,quantity,cycles,low,high,forms,form$' "$cyclops" table "$S" --classes --csv --mcpu none
parses() { # --csv or --json: each line has all fields, and the rows are those of forms.jsonl
    "$cyclops" table "$S" "$1" --mcpu none >"$T/report" && python3 - "$1" "$T/report" "$S/forms.jsonl" <<'PARSE'
import csv, json, sys
kind, report, forms = sys.argv[1:]
wanted = {json.loads(line)["form"] for line in open(forms)}
if kind == "--csv":
    rows = list(csv.DictReader(open(report, newline="")))
    assert all(None not in row and None not in row.values() for row in rows), "fields"
    assert all(float(row["low"]) <= float(row["cycles"]) <= float(row["high"]) for row in rows if row["cycles"])
    found = {row["form"] for row in rows}
else:
    head, *rows = [json.loads(line) for line in open(report)]
    assert head["record"] == "table" and head["forms"] == len(rows), head
    assert head["values"] == sum(
        len(row["latencies"]) + len(row["throughputs"]) + ("slots" in row.get("slots", {})) for row in rows), head
    found = {row["form"] for row in rows}
assert found == wanted, found ^ wanted
print("parses")
PARSE
}
expect 0 '^parses$' parses --csv
expect 0 '^parses$' parses --json
expect 0 'latency.yaml: [0-9]+ forms' "$cyclops" table "$S" --exegesis-yaml "$T/yaml"
for kind in latency inverse_throughput; do
    expect 0 '^mode: +' grep -m1 '^mode:' "$T/yaml-$kind.yaml"
done
expect 0 'latency o0->o1 .* 3\.00' "$cyclops" run VADDPSYrr.chain --mode latency --kernels "$S/kernels" "${sim[@]}"
expect 0 'latency o0->o1 .* 3\.00' "$cyclops" run VADDPSYrr.chain --mode latency "${sim[@]}"
expect 0 'ADD64rr .*reciprocal throughput.* 0\.250' "$cyclops" run VADDPSYrr ADD64rr "${sim[@]}" # partners come once
expect 0 'MUL64r.slots.xor.[0-9]+ ' "$cyclops" run "$(grep -o 'MUL64r.slots.xor.[0-9]*' "$S/kernels/x86_64/slots.yaml" | head -1)" \
    --kernels "$S/kernels" "${sim[@]}"

# Going on: nothing is measured twice, and a SIGKILL loses nothing.
lines=$(wc -l <"$S/measurements.jsonl")
silent "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$S" --resume
expect 0 "^$lines " wc -l "$S/measurements.jsonl"
# Files that are compressed, as those of a large survey are, read as before, and a run that goes on makes them plain.
cp -r "$S" "$T/packed"
gzip "$T"/packed/{measurements,forms}.jsonl "$T"/packed/kernels/x86_64/*.yaml
for command in table check report; do
    options=()
    [ $command = table ] || options=(--mcpu znver4)
    [ $command != report ] || options+=(--output "$T/page.html")
    for folder in "$S" "$T/packed"; do
        "$cyclops" $command "$folder" "${options[@]}" 2>&1 | sed "s|$folder|FOLDER|g" >"$T/of-${folder##*/}"
    done
    cmp "$T/of-${S##*/}" "$T/of-packed" || { echo "FAILED: $command of compressed files"; failures=$((failures + 1)); }
done
expect 0 'latency o0->o1 .* 3\.00' "$cyclops" run VADDPSYrr.chain --mode latency --kernels "$T/packed/kernels" "${sim[@]}"
expect 2 "'$T/packed' holds a survey: --resume goes on" "$cyclops" survey ADD64rr "${sim[@]}" --output "$T/packed"
expect 2 "is a file of the survey '$T/packed': name the folder" "$cyclops" check "$T/packed/measurements.jsonl.gz"
silent "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$T/packed" --resume
expect 0 "^$lines " wc -l "$T/packed/measurements.jsonl"
expect 0 '^0$' bash -c 'find "$1" -name "*.gz" | wc -l' - "$T/packed"
# Killed once something more is measured; a kill may cut a line short.
values() { grep -c '"record":"measurement"' "$1/measurements.jsonl" 2>/dev/null; }
has_more() { [ "$(values "$T/killed" || true)" != "$n_before" ] || has_ended $program; }
mkdir "$T/killed" # a kill may come before anything is in it
for i in 1 2 3; do
    n_before=$(values "$T/killed")
    "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$T/killed" --resume 2>/dev/null &
    program=$!
    within 20 has_more
    kill -KILL $program 2>/dev/null
    wait $program 2>/dev/null
    [ $i != 2 ] || truncate -s -7 "$T/killed/measurements.jsonl"
done
echo "$(values "$T/killed") of $(values "$S") values were measured before the last kill"
"$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$T/killed" --resume >/dev/null 2>&1 ||
    { echo "FAILED: no survey goes on after the kills"; failures=$((failures + 1)); }
expect 0 "^0\$" bash -c "'$cyclops' table '$T/killed' --json --mcpu none | grep -c 'not measured yet' || true"
rounded() { "$cyclops" table "$@" --csv | awk -F, -v OFS=, '{ print $1, $2, $3, $4, sprintf("%.1f", $5 + 0.01), $8 }'; }
rounded "$S" >"$T/whole.csv"
expect_same() { rounded "$@" | diff "$T/whole.csv" - || failures=$((failures + 1)); }
expect_same "$T/killed"
# Ctrl-C: what was measured stays, and the rest can be done.
env --default-signal=INT "$cyclops" survey 'ADD.*' "${sim[@]}" --output "$T/stopped" >"$T/messages" 2>&1 &
program=$!
within 20 test -s "$T/stopped/measurements.jsonl"
kill -INT $program
sleep 0.05
kill -INT $program 2>/dev/null # as of timeout, which signals the program and then its group
wait $program
status=$?
[ $status = 130 ] && grep -q '^Interrupted after .* forms' "$T/messages" &&
    grep -q "^To do the rest: cyclops survey --resume --output $T/stopped --isa x86_64" "$T/messages" ||
    { echo "FAILED: exit $status after SIGINT:"; cat "$T/messages"; failures=$((failures + 1)); }
expect 0 'ADD64rr' "$cyclops" table "$T/stopped" --left-out
for i in 1 2 3; do
    silent "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$T/part$i" --shard $i/3
done
expect_same "$T/part1" "$T/part2" "$T/part3"

# Noise that no repetition removes: the values are marked, and --strict has an exit status for them.
noisy=(--isa x86_64 --target sim:znver4,noise=states --budget 0)
expect 0 "To measure again what is unstable: cyclops survey --resume --output $T/noisy --isa x86_64 --target sim:znver4" \
    one_line "$cyclops" survey ADD64rr "${noisy[@]}" --output "$T/noisy"
expect 0 '0 → 0 +1 \?' "$cyclops" table "$T/noisy"
expect 0 '^exit 3$' bash -c '"$@"; echo "exit $?"' - "$cyclops" survey ADD64rr "${noisy[@]}" --output "$T/noisier" --strict
# Another target needs another folder. In one that holds both all the same, the last one counts.
expect 2 "'$T/noisy/measurements.jsonl' holds measurements of target sim:znver4,noise=states,seed=1, and this run is of sim:skylake,noise=none,seed=1: --target sim:znver4,noise=states,seed=1 goes on with it, --output names" \
    "$cyclops" survey ADD64rr --isa x86_64 --target sim:skylake,noise=none --output "$T/noisy" --resume
expect 2 "holds measurements of x86_64 code, and this run is of aarch64: --output names" \
    "$cyclops" survey ADDXrs --isa aarch64 --target sim:neoverse-n1 --output "$T/noisy" --resume
cat "$T/skylake/measurements.jsonl" >>"$T/noisy/measurements.jsonl"
expect 0 'warning: [0-9]+ measurements are of another machine, microcode or target than the last one' "$cyclops" table "$T/noisy"

# An overlay that changed is another target: nothing goes on with its values, and the table keeps them apart.
mine_of() { # LATENCY
    printf '  - match: ADD64rr\n    latency: {value: %s, source: "this test"}\n' "$1" | overlay mine skylake >"$T/mine.yaml"
}
mine_of 2
mine=(--isa x86_64 --target "sim:$T/mine.yaml,noise=none" --output "$T/mine")
silent "$cyclops" survey ADD64rr "${mine[@]}"
silent "$cyclops" survey ADD64rr "${mine[@]}" --resume
expect 0 '^equal 2\.0$' value "$T/mine" ADD64rr 2 0
mine_of 3
expect 2 "holds measurements of target sim:.*mine.yaml.* by the model .*, and that is .* now: --output names" \
    "$cyclops" survey ADD64rr "${mine[@]}" --resume
silent "$cyclops" survey ADD64rr --isa x86_64 --target "sim:$T/mine.yaml,noise=none" --output "$T/mine2"
cat "$T/mine2/measurements.jsonl" >>"$T/mine/measurements.jsonl"
expect 0 'warning: [0-9]+ measurements are of another machine, microcode or target than the last one' "$cyclops" table "$T/mine" --mcpu none
expect 0 '^equal 3\.0$' value "$T/mine" ADD64rr 2 0

# A run of other patterns adds to what the folder holds, and keeps its kernels.
silent "$cyclops" survey ADD64rr IMUL64rr "${sim[@]}" --output "$T/adds"
value "$T/adds" IMUL64rr throughput '' >"$T/before"
silent "$cyclops" survey IMUL64rr SUB64rr "${sim[@]}" --output "$T/adds" --resume
expect 0 '^ADD64rr IMUL64rr SUB64rr $' bash -c '"$1" table "$2" --json --mcpu none | sed -nE "s/.*\"form\":\"([^\"]*)\".*/\1/p" | tr "\n" " "; echo' - "$cyclops" "$T/adds"
expect 0 "^$(cat "$T/before")\$" value "$T/adds" IMUL64rr throughput ''
expect 0 '^equal 1\.0$' value "$T/adds" ADD64rr 2 0
for kernel in ADD64rr.chain IMUL64rr.o2-o0.movslq SUB64rr.same ADD64rr.slots CHAIN.movslq; do
    expect 0 '^[1-9]' bash -c 'cat "$1"/kernels/x86_64/*.yaml | grep -c "name: $2[,.]"' - "$T/adds" "$kernel"
done
expect 0 '^1$' grep -c 'name: ADD64rr,' "$T/adds/kernels/x86_64/survey.yaml"
expect 0 'ADD64rr.chain' "$cyclops" run --kernels "$T/adds/kernels" ADD64rr.chain "${sim[@]}"

# Counters: uops, and those of each pipe, are the model's. Without counters, or on request, nothing is counted.
counting=(--isa x86_64 --target sim:znver4,noise=counters)
count() { # FOLDER FORM EVENT: what its own throughput counts
    "$cyclops" table "$1" --csv --mcpu none | awk -F, -v form="$2" -v event="$3" '$1 == form && $2 == "count" && $3 == event && /,yes,,,,[a-z-]*,$/ {printf "%.2f\n", $5}'
}
expect 0 'cyclops: 18 events count uops, in all and by pipe' "$cyclops" survey VADDPSYrm IMUL64rr ADC64rr "${counting[@]}" --output "$T/counted"
expect 0 '^1\.00$' count "$T/counted" VADDPSYrm uops
expect 0 '^0\.50$' count "$T/counted" VADDPSYrm Zn4FP2
expect 0 '^1\.00$' count "$T/counted" VADDPSYrm Zn4Load
expect 0 '^1\.00$' count "$T/counted" IMUL64rr Zn4ALU1
expect 0 '^0\.00$' count "$T/counted" IMUL64rr Zn4FP2
expect 0 'counted: unrolled, n = [0-9]+, same line +per instruction +interval' "$cyclops" table "$T/counted" --form VADDPSYrm
expect 0 '^  [0-9]+ other events +0' "$cyclops" table "$T/counted" --form VADDPSYrm
silent "$cyclops" survey IMUL64rr "${counting[@]}" --events none --output "$T/uncounted"
lines=$(wc -l <"$T/uncounted/measurements.jsonl")
expect 0 "" "$cyclops" survey IMUL64rr "${counting[@]}" --output "$T/uncounted" --resume
[ "$lines" = "$(wc -l <"$T/uncounted/measurements.jsonl")" ] || { echo "FAILED: --resume has measured again to count"; failures=$((failures + 1)); }
# Without a pattern, a survey goes on with the folder's own forms.
expect 0 '1 form, 1 measured' "$cyclops" survey "${counting[@]}" --output "$T/uncounted" --resume
expect 2 "--events auto stands alone" "$cyclops" survey IMUL64rr "${counting[@]}" --events auto,uops --output "$T/both"
expect 0 '^0$' bash -c '"$1" table "$2" --csv --mcpu none | grep -c ",count," || true' - "$cyclops" "$T/uncounted"
silent "$cyclops" survey IMUL64rr "${counting[@]}" --events Zn4ALU1,uops --output "$T/two"
expect 0 '^1\.00$' count "$T/two" IMUL64rr Zn4ALU1
expect 0 '^2$' bash -c '"$1" table "$2" --csv --mcpu none | awk -F, "\$2 == \"count\" {print \$3}" | sort -u | wc -l' - "$cyclops" "$T/two"
expect 2 "no events can be counted|has no" "$cyclops" survey IMUL64rr "${sim[@]}" --events uops --output "$T/no-counters"

# Forms by themselves.
expect 0 'imulq %r' "$cyclops" gen IMUL64rr --isa x86_64
expect 0 'xorl %' "$cyclops" gen IMUL64rr.slots.xor.4 --isa x86_64
silent bash -c "'$cyclops' gen MUL64r.rax-rdx.movslq --isa x86_64 | as -o /dev/null -"
expect 2 'form PUSH2 cannot be measured: it uses the stack pointer' "$cyclops" gen PUSH2 --isa x86_64
expect 2 "form PUSH64r has no experiment of its plain name: name one of PUSH64r.around.8.*; 'cyclops survey PUSH64r' runs all" "$cyclops" gen PUSH64r --isa x86_64

# RISC-V's vectors: forms of one register each, behind a vsetvli. What widens has vectors of half a register.
vectors=(--isa riscv64 --target sim:sifive-p670,noise=none)
silent "$cyclops" survey VADD_VV VWMUL_VV VMV_X_S VLE32_V "${vectors[@]}" --output "$T/vectors"
expect 0 '^equal [12]\.0$' value "$T/vectors" VADD_VV 1 0 # LLVM 19: 1
expect 0 '^equal 0\.50$' value "$T/vectors" VADD_VV throughput ''
expect 0 '^equal 6\.0$' value "$T/vectors" VWMUL_VV 2 0
expect 0 '^at most [23]\.0$' value "$T/vectors" VMV_X_S 1 0
expect 0 'VADD_VV +vadd.vv v8, v9, v10 +[12] +0\.5 +1 +[12] +0\.5$' "$cyclops" table "$T/vectors"

# With vector configurations, each a form of its own: groups take their pipes for longer. What a form does not allow is
# left out by name. Without a list, a pattern selects one by its whole name, and not all of them by the opcode.
configs=("$cyclops" survey VADD_VV VWMUL_VV VLSEG3E16_V VMV_V_V ADD "${vectors[@]}" --output "$T/configs" --vector)
expect 0 '13 forms, 11 measured' one_line "${configs[@]}" e32mf2,e16m2,e64m2-mask
expect 0 '^equal 1\.00$' value "$T/configs" VADD_VV-e16m2 throughput ''
expect 0 '^equal 0\.50$' value "$T/configs" VADD_VV-e32mf2 throughput ''
expect 0 '^equal 6\.0$' value "$T/configs" VWMUL_VV-e16m2 2 0
expect 0 'VADD_VV-e64m2-mask +vadd.vv v8,.*v0.t +[12] +1 ' "$cyclops" table "$T/configs"
expect 0 "VWMUL_VV-e64m2-mask.*it has no elements of 64 bits" one_line "$cyclops" table "$T/configs" --left-out
expect 0 "VMV_V_V-e64m2-mask.*no mask that may be left out" one_line "$cyclops" table "$T/configs" --left-out
expect 0 '^0$' bash -c "grep -c '\"VADD_VV\"' '$T/configs/forms.jsonl'; true"
expect 0 '^([0-9]+) of \1 values agree\. No findings' "$cyclops" check "$T/configs" --mcpu sifive-p670
# The matrix: what grows with the registers of a group, and where the model has another number.
silent "$cyclops" survey VADD_VV VREDSUM_VS --vector e8m1,e16m2,e32m4,e64m8 "${vectors[@]}" --output "$T/matrix"
expect 0 'VADD_VV +throughput +8 +0\.5 +0\.5 a register' "$cyclops" table "$T/matrix" --vector --mcpu sifive-p670
expect 0 'VADD_VV,throughput,16,m2,.*,equal,1,no,0\.5 a register,yes' "$cyclops" table "$T/matrix" --vector --csv --mcpu sifive-p670
expect 0 'VADD_VV,throughput,16,m2,.*,equal,[45],yes,' "$cyclops" table "$T/matrix" --vector --csv --mcpu sifive-x280
expect 2 'no form of this table has a vector configuration' "$cyclops" table "$T/vectors" --vector
silent "$cyclops" survey 'VLUXEI8_V|VRGATHER_VV' --vector e8m1,e8m1-spread "${vectors[@]}" --output "$T/indices"
expect 0 '^VLUXEI8_V-spread,throughput,8,m1,.*,equal' "$cyclops" table "$T/indices" --vector --csv --mcpu none
expect 0 '^0$' bash -c '"$1" table "$2" --json --mcpu none | jq -s "[.[] | select(.form == \"VRGATHER_VV-e8m1-spread\").latencies[] |
    select(.source == \"2\")] | length"' - "$cyclops" "$T/indices" # what follows from a result has no order
silent "$cyclops" survey --resume VADD_VV-e8m4-odd-tu "${vectors[@]}" --output "$T/configs"
expect 0 'vadd.vv' grep '"VADD_VV-e8m4-odd-tu"' "$T/configs/forms.jsonl"
silent "$cyclops" survey --resume "${vectors[@]}" --output "$T/configs" # goes on with all of them
expect 0 'vadd.vv' grep '"VADD_VV-e8m4-odd-tu"' "$T/configs/forms.jsonl"
expect 0 'vsetvli x31, x0, e16, m4' "$cyclops" gen VSUB_VV-e16m4-half --isa riscv64
expect 2 "'e64mf2' is no vector configuration: name 'all'" "${configs[@]}" e32m1,e64mf2
expect 2 "no opcode or mnemonic has such a name: 'VADD_VV-e64mf2'" "$cyclops" survey VADD_VV-e64mf2 "${vectors[@]}" --output "$T/new"

# Bad input.
expect 2 "'$S' holds a survey: --resume goes on with it" "$cyclops" survey ADD64rr "${sim[@]}" --output "$S"
expect 2 "'\(' is not a regular expression" "$cyclops" survey '(' "${sim[@]}" --output "$T/new"
expect 2 "no opcode or mnemonic has such a name: 'FOO'" "$cyclops" survey FOO "${sim[@]}" --output "$T/new"
expect 2 "no opcode or mnemonic has such a name: 'ADD65rr', 'FOO.\*'; 'cyclops list forms'" "$cyclops" survey ADD64rr ADD65rr 'SUB.*' 'FOO.*' "${sim[@]}" --output "$T/new"
expect 2 "no opcode or mnemonic has such a name: 'A1', 'A2', 'A3' and 2 more" "$cyclops" survey ADD64rr A1 A2 A3 A4 A5 "${sim[@]}" --output "$T/new"
expect 2 "\\-\\-shard is I/N" "$cyclops" survey --shard 1/3x "${sim[@]}" --output "$T/new"
expect 2 "^1\$" bash -c "test -e '$T/new'; echo \$?; exit 2" # nothing was made
expect 2 'none of these forms can be measured; BRK: it traps' "$cyclops" survey BRK --isa aarch64 --target sim:neoverse-v2 --output "$T/refused"
expect 2 "unknown CPU 'x'" "$cyclops" survey ADD64rr --isa x86_64 --target sim:x --output "$T/refused"
expect 2 "no opcode or mnemonic has such a name: 'imul64rr' \(did you mean 'IMUL64rr'\?\)" "$cyclops" survey imul64rr "${sim[@]}" --output "$T/refused"
expect 2 "there is no survey in '$T/refused': leave --resume out" "$cyclops" survey ADD64rr "${sim[@]}" --output "$T/refused" --resume
expect 2 "^1\$" bash -c "test -e '$T/refused'; echo \$?; exit 2"
cp -r "$S" "$T/no-kernels" && rm -r "$T/no-kernels/kernels"
expect 2 "with the kernels of the folder's other forms: --resume without a pattern" "$cyclops" survey ADD64rr "${sim[@]}" --output "$T/no-kernels" --resume
silent "$cyclops" survey "${sim[@]}" --output "$T/no-kernels" --resume
expect 0 '^0$' bash -c 'cmp "$1/$3" "$2/$3"; echo $?' - "$S" "$T/no-kernels" kernels/x86_64/survey.yaml
expect 2 "choose one" "$cyclops" table "$S" --csv --json
expect 2 "cannot write in the folder '$S/forms.jsonl'" "$cyclops" survey ADD64rr "${sim[@]}" --output "$S/forms.jsonl"
expect 2 "\-\-shard is I/N with I from 1 to N, such as 2/8; not '4/3'" "$cyclops" survey --shard 4/3 "${sim[@]}" --output "$T/new"
expect 2 "cannot make the folder '/proc/x'" "$cyclops" survey ADD64rr "${sim[@]}" --output /proc/x
expect 2 "name the folder of a survey" "$cyclops" table
expect 2 "'$T/none' holds no survey: there is no such folder" "$cyclops" table "$T/none"
expect 2 "there is no form 'ADDrr'|ADDrr" "$cyclops" table "$S" --form ADDrr
expect 2 "cannot sort by 'size'" "$cyclops" table "$S" --sort size
cp -r "$S" "$T/broken"
sed -i '3s/.*/{"record":"measurement","cycles":"4"}/' "$T/broken/measurements.jsonl"
expect 2 "measurements.jsonl:3:" "$cyclops" table "$T/broken"

cp -r "$S" "$T/damaged"
{ head -3 "$S/measurements.jsonl"; echo '{"record":"measurement","kernel":'; cat "$S/measurements.jsonl"; } >"$T/damaged/measurements.jsonl"
expect 0 "measurements.jsonl:4: the line was cut short when its run was ended; it is left out" "$cyclops" table "$T/damaged"
# A damaged line in the middle is lost alone, and measured again. A file of another kind stays an error.
middle=$(grep -nm1 '"kernel":"IMUL64rr.chain".*"verdict":"exact"' "$S/measurements.jsonl" | cut -d: -f1)
sed "${middle}s/.\{20\}$/####/" "$S/measurements.jsonl" >"$T/damaged/measurements.jsonl"
expect 0 "measurements.jsonl:$middle: the line is damaged, and left out: --resume" "$cyclops" table "$T/damaged"
expect 0 "measurements.jsonl:$middle: the line is damaged" "$cyclops" check "$T/damaged" --mcpu znver4
expect 0 "9 measured: .*0 unstable" "$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$T/damaged" --resume
expect 0 '^1$' bash -c "tail -n +$(($(wc -l <"$S/measurements.jsonl") + 1)) '$T/damaged/measurements.jsonl' | grep -c '\"kernel\":\"IMUL64rr.chain\"'"
expect_same "$T/damaged"
seq 3 | sed 's/^/line /' >"$T/damaged/measurements.jsonl"
expect 2 'measurements.jsonl:1:.*not JSON' "$cyclops" table "$T/damaged"
# Nothing is known of the CPU of an empty file.
: >"$T/damaged/measurements.jsonl"
expect 2 "^cyclops: error: '$T/damaged' holds no measurement yet" "$cyclops" table "$T/damaged"
expect 0 '^1$' bash -c '"$1" table "$2" 2>&1 | grep -c .' - "$cyclops" "$T/damaged"
silent "$cyclops" survey IMUL64rr "${sim[@]}" --output "$T/damaged" --resume

cp -r "$S" "$T/broken-forms"
echo '{"form":1}' >>"$T/broken-forms/forms.jsonl"
expect 2 "forms.jsonl:$(wc -l <"$T/broken-forms/forms.jsonl"): 'form' must be a string" "$cyclops" table "$T/broken-forms"
mkdir "$T/empty" && touch "$T/empty/"{measurements,forms}.jsonl
expect 2 "'$T/empty' holds no measurement yet" "$cyclops" table "$T/empty"
expect 2 "cannot write '/proc/x-latency.yaml'" "$cyclops" table "$S" --exegesis-yaml /proc/x
expect 2 "needs LLVM's name of the CPU" "$cyclops" table "$S" --mcpu none --exegesis-yaml "$T/nowhere"

# A budget ends the whole command, also where the clock is never steady: by the simulated CPU's time. Without one, only
# waiting for it takes minutes of that.
restless=(survey ADD64rr --isa x86_64 --target sim:skylake,noise=jitter:2000)
expect 77 "The budget is spent after [0-9]+ s: .* To do the rest: cyclops survey --resume --output $T/late --isa x86_64 --target sim:skylake" \
    one_line "$cyclops" "${restless[@]}" --output "$T/late" --budget 20
expect 77 "Done after .* To try again: cyclops survey --resume" one_line "$cyclops" "${restless[@]}" --output "$T/later"
# Dispatch slots come last: what the budget leaves of them is counted.
"$cyclops" survey 'V?(ADD|MUL)PS(Y|Z)?rr' "${sim[@]}" --output "$T/late3" >/dev/null 2>&1
sed -i '/\.slots\./d' "$T/late3/measurements.jsonl"
expect 0 'The budget is spent .*; dispatch slots of [1-9] forms not measured yet' \
    one_line "$cyclops" survey --resume "${sim[@]}" --output "$T/late3" --budget 0.001
expect 0 'Done after [^;]*$' bash -c '"$@" | grep "^Done"' - "$cyclops" survey --resume "${sim[@]}" --output "$T/late3"
# What one leaves, the next does.
expect 77 'The budget is spent after [0-9]+ s: .* To do the rest' one_line "$cyclops" survey 'IMUL64r.*' "${sim[@]}" --output "$T/late2" --budget 0.001
expect 0 '^simulated .* clock .*; 20[0-9][0-9]-[0-9-]+T[0-9:]+Z (cyclops: warning: .* cannot be made, .*)?Done after' one_line "$cyclops" survey --resume "${sim[@]}" --output "$T/late2"
expect 0 '^IMUL64rr' bash -c '"$1" table "$2" --csv | cut -d, -f1 | sort -u' - "$cyclops" "$T/late2"

# When it was measured: as its runs say, whenever it is printed. A run that adds nothing changes nothing.
dated() { SOURCE_DATE_EPOCH=$1 "$cyclops" survey "${@:2}" "${sim[@]}" --output "$T/dated" >/dev/null 2>&1; }
when_is() { # WANTED: the line of the table; or "none"
    expect 0 "^$1\$" bash -c '"$1" table "$2" | grep "^Measured: " || echo none' - "$cyclops" "$T/dated"
}
dated 1795738679 IMUL64rr
when_is 'Measured: 2026-11-27T00:17Z'
dated 1795739279 --resume
when_is 'Measured: 2026-11-27T00:17Z'
dated 1795739279 SUB64rr --resume
when_is 'Measured: 2026-11-27T00:17Z to 2026-11-27T00:27Z'
expect 0 '"time":\{"first":"2026-11-27T00:17Z","last":"2026-11-27T00:27Z"\}' "$cyclops" table "$T/dated" --json
expect 0 "^To check it: cyclops check $T/dated --mcpu $T/dated.yaml --against znver4 --gap\$" \
    "$cyclops" repair "$T/dated" --mcpu znver4 --output "$T/dated.yaml" --review "$T/dated.md"
expect 0 '^measured: "2026-11-27T00:17Z to 2026-11-27T00:27Z"$' cat "$T/dated.yaml"
expect 0 '^\* Date: 2026-11-27T00:17Z to 2026-11-27T00:27Z$' cat "$T/dated.md"
expect 0 'Measured on sim:znver4,.*; 2026-11-27T00:17Z to 2026-11-27T00:27Z' one_line "$cyclops" check "$T/dated" --mcpu "$T/dated.yaml"
expect 0 '' "$cyclops" report "$T/dated" --mcpu znver4 --output "$T/dated.html"
expect 0 '"when":"2026-11-27T00:17Z to 2026-11-27T00:27Z"' cat "$T/dated.html"
expect 0 'After: .*: sim:znver4,.* clock, .*; 2026-11-27T00:17Z to 2026-11-27T00:27Z' one_line "$cyclops" diff "$T/dated" "$T/dated"
"$cyclops" check "$T/dated" --mcpu "$T/dated.yaml" --baseline "$T/dated" --markdown "$T/dated.md" --junit "$T/dated.xml" >/dev/null 2>&1
expect 0 '^Measured on .* clock, .*; 2026-11-27T00:17Z to 2026-11-27T00:27Z\.$' cat "$T/dated.md"
expect 0 '^Earlier on .*; 2026-11-27T00:17Z to 2026-11-27T00:27Z\.$' cat "$T/dated.md"
expect 0 'name="measured" value="2026-11-27T00:17Z to 2026-11-27T00:27Z"' cat "$T/dated.xml"
# Folders of earlier versions have no dates, and may go on.
sed -i '1,/"record":"measurement"/s/"time":"[^"]*",//' "$T/dated/measurements.jsonl"
when_is 'Measured: up to 2026-11-27T00:27Z'
sed -i 's/"time":"[^"]*",//' "$T/dated/measurements.jsonl"
when_is 'Measured: not recorded'
expect 0 'Measured on sim:znver4,.*; date not recorded' one_line "$cyclops" check "$T/dated" --mcpu "$T/dated.yaml"

# A survey that goes on says for how long it measures again what is unstable.
"$cyclops" survey ADD64rr "${noisy[@]}" --output "$T/again" >/dev/null 2>&1
expect 0 'unstable values are measured again for up to 240 s \(--budget\)' \
    "$cyclops" survey --isa x86_64 --target sim:znver4,noise=states --output "$T/again" --resume

# Two at once in one folder.
"$cyclops" survey 'ADD.*' 'SUB.*' "${sim[@]}" --output "$T/busy" 2>/dev/null &
within 20 test -s "$T/busy/forms.jsonl"
expect 2 "another survey is at work in '$T/busy'" "$cyclops" survey ADD64rr "${sim[@]}" --output "$T/busy" --resume
kill $! 2>/dev/null
wait $! 2>/dev/null
finish
