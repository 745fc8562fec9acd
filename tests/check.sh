#!/usr/bin/env bash
# cyclops check and cyclops diff as a gate: a baseline on a simulated CPU, a change of three forms in the model or in the
# hardware, an allow-list; every output; bad input.  check.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
forms=(SUB64rr VADDPSYrr IMUL64rr ADD64rr ADD64rm)

# Three forms are worse: a latency, the time on a pipe, the uops.
overlay worse znver4 >worse.yaml <<'YAML'
  - {match: SUB64rr, latency: 2}
  - {match: VADDPSYrr, uses: [{resource: Zn4FP23, acquire: 0, release: 2}]}
  - {match: IMUL64rr, uops: 3}
YAML
# survey CPU FOLDER
silent() { expect 0 '^0$' bash -c 'out=$("$@" 2>&1 >/dev/null) || exit; printf "%s" "$out" >&2; echo -n "$out" | wc -c' - "$@"; }
survey() { silent "$cyclops" survey "${forms[@]}" --isa x86_64 --target "sim:$1,noise=none" --output "$2"; }
survey znver4 base
survey "$T/worse.yaml" moved

# count PATTERN COMMAND...: lines that it prints and that fit.
count() { local pattern=$1; shift; "$@" 2>/dev/null | grep -cE -- "$pattern"; }

# The model moved: three annotations. Allowed: none, and a stale allowance is reported.
gate=("$cyclops" check base --mcpu worse.yaml --against znver4 --annotations github)
expect 0 'No findings' "$cyclops" check base --mcpu znver4
expect 0 'No findings' "$cyclops" check base
expect 1 'Findings: 3' "${gate[@]}"
expect 0 '^3$' count '^::error file=worse.yaml,line=[0-9]+,title=model%3A' "${gate[@]}"
expect 0 "::error file=worse.yaml,line=$(grep -n IMUL64rr worse.yaml | cut -d: -f1),title=model%3Aslots/WriteIMul64Reg::uops 3, measured 1" bash -c '"$@" || true' - "${gate[@]}"
expect 1 'Findings: 3' "${gate[@]}" --write-allow allow.yaml
echo '  - {finding: "gap:nothing", reason: long gone}' >>allow.yaml
expect 0 'Findings: 3 \(3 allowed\)' "${gate[@]}" --allow allow.yaml
# An allowance states why; one that has expired does not count.
expect 0 'all findings are allowed' bash -c "'${gate[0]}' ${gate[*]:1} --allow allow.yaml --markdown allowed.md >/dev/null 2>&1 && cat allowed.md"
expect 0 '\| allowed: known when the list was made \|' cat allowed.md
sed '0,/ reason:/s// expires: 2026-01-31\n    reason:/' allow.yaml >expired.yaml
expect 1 'its allowance expired on 2026-01-31' "${gate[@]}" --allow expired.yaml --junit expired.xml
expect 0 'failure message="model:[^"]*: [^"]*; its allowance expired on 2026-01-31"' cat expired.xml
# What is not allowed comes first.
awk '/- \{?finding/ { n++ } n != 2' allow.yaml >two.yaml
expect 1 'Findings: 3 \(2 allowed\)' "${gate[@]}" --allow two.yaml
last=$(grep 'finding:' allow.yaml | sed -n 2p | grep -o 'model:[A-Za-z0-9/+-]*')
[ "$(grep -nm1 'allowed: ' "$T/out" | cut -d: -f1)" -gt "$(grep -nFm1 "$last" "$T/out" | cut -d: -f1)" ] ||
    { echo "FAILED: what is allowed comes first:"; cat "$T/out"; failures=$((failures + 1)); }
expect 0 '^::notice file=allow.yaml,line=[0-9]+,title=stale allowance::' "${gate[@]}" --allow allow.yaml
expect 0 '^0$' bash -c "'${gate[0]}' ${gate[*]:1} --allow allow.yaml | grep -c ::error || true"
sed 's/bound: .*/bound: 0.01/' allow.yaml >tight.yaml
expect 1 'beyond its allowance' "${gate[@]}" --allow tight.yaml
sed 's/reason: "known.*/&\n    expires: 2020-01-01/' allow.yaml >old.yaml
expect 1 'its allowance expired on 2020-01-01' "${gate[@]}" --allow old.yaml

# The same change in the hardware; the gap of the model to it; the way back is an improvement.
hardware=("$cyclops" check moved --mcpu none --baseline base --annotations github)
expect 0 '^3$' count '^::error title=hardware%3A' "${hardware[@]}"
expect 1 'slots/WriteIMul64Reg' "${hardware[@]}" --write-allow allow.yaml
expect 0 '3 allowed' "${hardware[@]}" --allow allow.yaml
expect 1 'Findings: 3' "$cyclops" check moved --mcpu znver4
expect 0 'are nearer than before' "$cyclops" check base --mcpu znver4 --against worse.yaml
expect 1 'Gap: .*' "$cyclops" check base --mcpu worse.yaml --against znver4 --gap

# Values that only the baseline has are counted; they fail on request, also where nothing is left to compare.
silent "$cyclops" survey SUB64rr --isa x86_64 --target sim:znver4,noise=none --output part
lost=("$cyclops" check part --mcpu none --baseline base)
expect 0 'values stayed; [0-9]+ lost\. No findings' "${lost[@]}"
expect 0 "^Lost: [0-9]+ values of 4 forms that 'base' has: ADD64rm, ADD64rr, IMUL64rr and 1 more. With --fail-lost" \
    bash -c '"$@" | tr "\n" " " | sed "s/Lost:/\n&/"' - "${lost[@]}"
expect 0 '; [0-9]+ new\. No findings' "$cyclops" check base --mcpu none --baseline part --fail-lost
"${lost[@]}" --json >part.jsonl
expect 0 '"lost":[1-9][0-9]*,"new":0,' cat part.jsonl
expect 0 '::warning title=lost values::Lost: ' "${lost[@]}" --annotations github --junit part.xml --markdown part.md
expect 0 '<testsuite name="lost" tests="4" failures="0" errors="0" skipped="4"' cat part.xml
expect 0 '^Lost: [0-9]+ values of 4 forms' cat part.md
expect 0 '^### Cyclops: no findings' cat part.md
expect 1 'and 1 more. The check fails' "${lost[@]}" --fail-lost
expect 1 '::error title=lost values::' "${lost[@]}" --fail-lost --annotations github --junit lost.xml --markdown lost.md
expect 0 'name="ADD64rr"><failure type="lost" message="[0-9]+ values of .*base.* lost"/>' cat lost.xml
expect 0 '^### Cyclops: lost values' cat lost.md
silent "$cyclops" survey ADD64rr --isa x86_64 --target sim:znver4,noise=none --output other
expect 77 'nothing could be compared' "$cyclops" check other --mcpu none --baseline part
expect 1 'nothing could be compared' "$cyclops" check other --mcpu none --baseline part --fail-lost
expect 2 '--fail-lost needs --baseline' "$cyclops" check base --fail-lost
expect 0 '^Lost' bash -c '"$1" diff base part' - "$cyclops"

# The review states the commands that made the survey; of an old folder, its forms and its CPU.
silent "$cyclops" survey 'SUB64r?r' --attempt 100 --isa x86_64 --output=made --target sim:worse.yaml,noise=none
silent "$cyclops" survey IMUL64rr --isa x86_64 --target sim:worse.yaml,noise=none --output made --resume
silent "$cyclops" survey --resume --isa x86_64 --target sim:worse.yaml,noise=none --output made
expect 0 'rules' "$cyclops" repair made --mcpu znver4 --output made.yaml --review made.md
expect 0 "^    cyclops survey 'SUB64r[?]r' --attempt 100 --isa x86_64 --target sim:worse.yaml,noise=none --output made\$" cat made.md
expect 0 '^    cyclops survey IMUL64rr --isa x86_64 --target sim:worse.yaml,noise=none --output made --resume$' cat made.md
expect 0 '^2$' grep -c 'cyclops survey .*--output made' made.md
rm made/commands.txt
expect 0 'rules' "$cyclops" repair made --mcpu znver4 --output made.yaml --review made.md
expect 0 '^    cyclops survey IMUL64rr SUB64rr --isa x86_64 --target sim:.* --output made$' cat made.md

# Other programs read it.
expect 1 'Findings' "$cyclops" check base --mcpu worse.yaml --junit check.xml --markdown check.md
expect 0 'tests="5" failures="3" errors="0" skipped="0"' cat check.xml
expect 1 'check.xml: 5 forms as JUnit' "$cyclops" check base --mcpu worse.yaml --junit check.xml
expect 0 '^### Cyclops: findings' cat check.md
expect 0 '\| gap:slots/WriteIMul64Reg \| 1 \|' cat check.md
if command -v xmllint >/dev/null; then
    for file in check.xml part.xml lost.xml; do
        expect 0 'validates' xmllint --noout --schema "$here/junit.xsd" $file
    done
fi
"$cyclops" check base --mcpu worse.yaml --json >check.jsonl
expect 0 '^check 1, finding 3$' python3 -c '
import collections, json
kinds = collections.Counter(json.loads(line)["record"] for line in open("check.jsonl"))
print(", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))'

# Measurement files: an unstable value is skipped, a crash is an error.
expect 0 'add-r64' "$cyclops" run add-r64 vaddps-ymm --isa x86_64 --target sim:znver4,noise=none --mcpu none --output run.jsonl
expect 0 'No findings' "$cyclops" check run.jsonl --mcpu znver4
expect 1 'gap:throughput/vaddps-ymm' "$cyclops" check run.jsonl --mcpu worse.yaml
sed 's/"verdict":"[a-z]*"/"verdict":"unstable"/' run.jsonl >shaky.jsonl
expect 77 'nothing could be compared' "$cyclops" check shaky.jsonl --mcpu znver4 --junit shaky.xml
expect 0 '^none$' bash -c '"$1" check shaky.jsonl --mcpu znver4 2>&1 | grep "No findings" || echo none' - "$cyclops"
expect 0 'failures="0" errors="0" skipped="2"' cat shaky.xml
# A result that its own kind has earlier than others is no wrong latency, and no repair makes it the model's.
if command -v aarch64-linux-gnu-as >/dev/null; then
    silent "$cyclops" survey FMLAv4f32 FADDv4f32 --isa aarch64 --target sim:neoverse-v2,noise=none --output forwarding
    expect 0 '0 → 0, to others +4 ' "$cyclops" table forwarding --form FMLAv4f32
    expect 0 'No findings' "$cyclops" check forwarding --mcpu neoverse-v2
    expect 1 'gap:forwarding/FMLAv4f32' "$cyclops" check forwarding --mcpu oryon-1
    expect 1 '2 cycles to its own kind, 4 to others; the model lacks it: latency 4, measured 2' "$cyclops" check forwarding --mcpu oryon-1
    # Both say that they count these values differently.
    expect 1 "Of forwarding: [0-9]+ findings? that no latency of a model can mend. 'cyclops repair' counts" one_line "$cyclops" check forwarding --mcpu oryon-1
    expect 0 "count as predicted up to the longer one. 'cyclops check' reports" one_line "$cyclops" repair forwarding --mcpu oryon-1 --output oryon.yaml
    silent "$cyclops" repair forwarding --mcpu oryon-1 --output oryon.yaml
    expect 0 '"FADDv4f32", latency: 2' cat oryon.yaml
    expect 1 '^0$' grep -c FMLA oryon.yaml
    silent "$cyclops" repair forwarding --mcpu a64fx --output a64fx.yaml # whose 9 cycles are too many for all
    expect 0 '"FMLAv4f32", latency: 4' grep FMLA a64fx.yaml
fi

# RISC-V: what a vector instruction costs depends on a state that the set-up of a survey's kernels has. A measurement
# records it; files of older versions did not.
if command -v riscv64-linux-gnu-as >/dev/null; then
    riscv=(--isa riscv64 --target sim:sifive-x280,noise=none)
    expect 0 'measured' "$cyclops" survey VADD_VV VWADD_VV VLE64_V ADD "${riscv[@]}" --output riscv
    expect 0 '^([0-9]+) of \1 values agree\. No findings' "$cyclops" check riscv --mcpu sifive-x280
    if "$cyclops" list forms --isa riscv64 --llvm 22 >/dev/null 2>&1; then
        expect 1 'gap:latency/.*' "$cyclops" check riscv --mcpu llvm-22/sifive-p670
    fi
    expect 0 '' "$cyclops" run --kernels riscv/kernels VADD_VV "${riscv[@]}" --mcpu none --output riscv.jsonl
    expect 0 '^1 of 1 value agree\. No findings' "$cyclops" check riscv.jsonl --mcpu sifive-x280
    sed -i 's/, *"setup_bytes": *"[0-9a-f]*"//' riscv.jsonl
    expect 77 'VADD_VV.*no vsetvli before it' "$cyclops" check riscv.jsonl --mcpu sifive-x280
    # A rule of a pair of element and group changes that alone, and a repair gives it back, also for what is not measured.
    printf '%s\n' 'overlay: 1' 'name: groups' 'base: llvm' 'triple: riscv64-unknown-linux-gnu' 'cpu: sifive-p670' 'instructions:' \
        '  - {match: "V(ADD|SUB|AND)_VV-e.*m2", latency: 7}' >groups.yaml
    expect 0 '8 measured' one_line "$cyclops" survey VADD_VV VAND_VV --vector e8m1,e16m2,e64m2,e32m4 --isa riscv64 \
        --target "sim:$PWD/groups.yaml,noise=none" --output groups
    expect 0 'No findings' "$cyclops" check groups --mcpu groups.yaml
    expect 1 'gap:latency/.*VADD_VV-e16m2' one_line "$cyclops" check groups --mcpu sifive-p670
    expect 0 'Outside their intervals: [1-9][0-9]* before, 0 after' one_line "$cyclops" repair groups --mcpu sifive-p670 --output mended.yaml
    expect 0 'match: "VADD_VV-e16m2\|VADD_VV-e64m2\|VAND_VV-e16m2\|VAND_VV-e64m2", latency: 7' cat mended.yaml
    expect 0 'match: .*VSUB_VV-e16m2.*latency: 7' cat mended.yaml
    expect 0 'No findings' "$cyclops" check groups --mcpu mended.yaml
    sed -i 's/-e\.\*m2/-e64mf2/' groups.yaml
    expect 2 "there is no 'VADD_VV-e64mf2': a pair is one of" "$cyclops" check groups --mcpu groups.yaml
    # Each pair of a list is one; an opcode may be another LLVM's.
    while read -r status said match; do
        sed -i "s/match: \"[^\"]*\"/match: \"$match\"/" groups.yaml
        expect "$status" "${said//_/ }" "$cyclops" explain VADD_VV --mtriple riscv64 --mcpu "$PWD/groups.yaml"
    done <<'END'
2 64_bits VADD_VV-e8m1|VADD_VV-e64mf8
2 does_not_depend VMV1R_V-e32m1|VADD_VV-e8m1
2 8_registers VWADD_VV-e8m8
2 elements_of_8_bits VADD_VV|VFADD_VV-e8m1
2 no_opcode_of VFADD_VV-e8.*
2 a_pair_is VADD_VV-e8m1-mask|VADD_VV-e8m1
2 no_opcode_of VNEW_VV-e8m1
2 no_opcode_of VADD_VV-(e8|e16)m1
0 VADD VNEW_VV-e8m1|VADD_VV-e8m1
END
fi

# diff
expect 0 '^0 of [0-9]+ stable values moved\.$' "$cyclops" diff base base
expect 1 'IMUL64rr +slots +1 .* \+200 %' "$cyclops" diff base moved
expect 1 '"kind":"moved"' "$cyclops" diff base moved --json
expect 1 '^moved,IMUL64rr,WriteIMul64Reg,slots,,1,' "$cyclops" diff base moved --csv
expect 2 'choose one' "$cyclops" diff base moved --csv --json
expect 2 'choose one' "$cyclops" check base --csv --json
expect 1 'IMUL64rr +slots +1 +3 ' "$cyclops" diff base --mcpu znver4 --mcpu worse.yaml
expect 0 '^0 of [0-9]+ predictions differ' "$cyclops" diff base --mcpu znver4 --mcpu znver4
expect 77 'nothing could be compared' "$cyclops" diff shaky.jsonl run.jsonl
expect 0 '^Lost' bash -c "'$cyclops' diff base run.jsonl | grep -E '^(Lost|New)'; exit 0"

# The repair of the model by the changed hardware gives back the three numbers.
expect 0 'Outside their intervals: 8 before, 0 after' bash -c "'$cyclops' repair moved --slots --mcpu znver4 --output fixed.yaml --review fixed.md | tr '\\n' ' ' | tr -s ' '"
expect 0 '^    cyclops repair moved --mcpu znver4 --slots --output fixed.yaml$' cat fixed.md
expect 0 'No findings' "$cyclops" check moved --mcpu fixed.yaml
expect 0 '^[^#]*match: "SUB64rr", latency: 2}' cat fixed.yaml
expect 0 '^[^#]*match: "VADDPSYrr", uses: \[\{resource: Zn4FP23, acquire: 0, release: 2}' cat fixed.yaml
expect 0 '^[^#]*match: "IMUL64rr", uops: 3}' cat fixed.yaml
expect 0 '# IMUL64rr slots: measured 3 .*, LLVM 1; cyclops run --kernels moved/kernels --isa x86_64 --target sim:.*worse.yaml,noise=none,seed=1 IMUL64rr\.slots' cat fixed.yaml
# The command of that evidence repeats it.
again=$(sed -n 's/.*; cyclops \(run .* IMUL64rr\.slots.*\)/\1/p' fixed.yaml | head -n 1)
expect 0 'IMUL64rr\.slots' bash -c '"$1" '"$again" - "$cyclops"
expect 0 'To measure again: cyclops run --kernels moved/kernels --isa x86_64 --target sim:.*worse.yaml' \
    bash -c '"$1" table moved --form IMUL64rr --mcpu none | tr "\n" " " | tr -s " "' - "$cyclops"
# Slots are left where they are not asked for, and counted.
expect 0 "Outside their intervals: 7 before, 0 after.*Dispatch slots that are not the model's uops: 1\. .* --slots" \
    bash -c "'$cyclops' repair moved --mcpu znver4 --output left.yaml --review left.md | tr '\\n' ' ' | tr -s ' '"
expect 0 '^0$' bash -c "grep -c uops: left.yaml || true"
expect 0 "^Dispatch slots that are not the model's uops: 1" cat left.md
expect 1 'gap:slots/WriteIMul64Reg' "$cyclops" check moved --mcpu left.yaml
expect 1 "^Findings: 1; of dispatch slots: 1" bash -c '"$@" | tr "\n" " " | sed "s/Findings:/\n&/"; exit 1' - "$cyclops" check moved --mcpu left.yaml
expect 0 'Outside their intervals: 0 before' "$cyclops" repair base --mcpu znver4 --output none.yaml
expect 0 'No findings' "$cyclops" check base --mcpu none.yaml

# Uops that a throughput shows change without --slots, to the slots: of four, a simulation dispatches one form a cycle.
overlay fused sapphirerapids >fused.yaml <<'YAML'
  - {match: ADD64mr, uops: 2}
machine: {dispatch_width: 4}
YAML
silent "$cyclops" survey ADD64mr ADD64rr --isa x86_64 --target "sim:$T/fused.yaml,noise=none" --output fused
expect 0 'rules' "$cyclops" repair fused --mcpu sapphirerapids --output fused-fixed.yaml
expect 0 '^[^#]*match: "ADD64mr", uops: 2}' cat fused-fixed.yaml

# A rule goes to the alike forms without a value, also where others disturbed their measurement; not to those that the
# CPU lacks.
expect 0 '^[^#]*match: "SUB32rr", latency: 2}' cat fixed.yaml
cp -r moved disturbed
echo '{"form":"SUB32rr","example":"subl %ecx, %eax"}' >>disturbed/forms.jsonl
grep -m1 '"kernel":"SUB64rr.chain"' moved/measurements.jsonl | sed 's/SUB64rr/SUB32rr/; s/"samples":[0-9]*/"samples":0/' |
    sed 's/"why":"[^"]*","look":"first"/"why":"9 of 9 rounds dropped"/' >>disturbed/measurements.jsonl
expect 0 '^ +9 of 9 rounds dropped' "$cyclops" table disturbed --mcpu none --left-out
expect 0 'rules' "$cyclops" repair disturbed --mcpu znver4 --output disturbed.yaml
expect 0 '^[^#]*match: "SUB32rr", latency: 2}' cat disturbed.yaml
sed -i '$s/}$/,"left_out":"illegal instruction"}/' disturbed/forms.jsonl
expect 0 'rules' "$cyclops" repair disturbed --mcpu znver4 --output disturbed.yaml
expect 0 '^0$' bash -c "grep -c SUB32rr disturbed.yaml || true"

# A form between instructions that break dependences: the change is its own, whether these were measured or not.
overlay cheap znver4 >cheap.yaml <<'YAML'
  - {match: "ADD64i32|MOV32ri", uses: [{resource: Zn4ALU0123, acquire: 0, release: 1}]}
YAML
silent "$cyclops" survey ADD64i32 MOV32ri --isa x86_64 --target "sim:./cheap.yaml,noise=none" --output both
silent "$cyclops" survey ADD64i32 --isa x86_64 --target "sim:./cheap.yaml,noise=none" --output alone
expect 0 'before, 0 after' bash -c "'$cyclops' repair both --mcpu znver4 --output both.yaml | tr '\n' ' ' | tr -s ' '"
expect 0 '^[^#]*match: "ADD64i32", uses: \[\{resource: Zn4ALU0123, acquire: 0, release: 1}' cat both.yaml
expect 0 '^[^#]*match: "MOV32ri", uses: \[\{resource: Zn4ALU0123, acquire: 0, release: 1}' cat both.yaml
expect 0 'compared' "$cyclops" repair alone --mcpu znver4 --output alone.yaml
expect 0 '^[^#]*match: "ADD64i32", uses: \[\{resource: Zn4ALU0123, acquire: 0, release: 1}' cat alone.yaml
# A bound does not show which pipes: LLVM's stay, held for as short as they must be, though this CPU has others.
overlay pipes znver4 >pipes.yaml <<'YAML'
  - {match: ADD64i32, uses: [{resource: Zn4ALU03, acquire: 0, release: 1}]}
  - {match: MOV32ri, uses: [{resource: Zn4ALU0123, acquire: 0, release: 1}]}
YAML
silent "$cyclops" survey ADD64i32 MOV32ri --isa x86_64 --target "sim:./pipes.yaml,noise=none" --output pipes
# Only what is measured together with instructions that end dependences: a bound.
grep -vE '"kernel":"ADD64i32\.broken\.[34]"' pipes/measurements.jsonl >less && mv less pipes/measurements.jsonl
expect 0 '"headline":true[^}]*"relation":"at most"' "$cyclops" table pipes --form ADD64i32 --mcpu none --json
expect 0 'before, 0 after' bash -c "'$cyclops' repair pipes --mcpu znver4 --output pipes-fixed.yaml | tr '\n' ' ' | tr -s ' '"
expect 0 '^[^#]*match: "ADD64i32", uses: \[\{resource: Zn4ALU0123, acquire: 0, release: 2}\]}' cat pipes-fixed.yaml

# Copies that depend on each other, and no latency of the register is measured: the change is that of each copy, and no
# chain through memory becomes a latency.
overlay chains znver4 >chains.yaml <<'YAML'
  - {match: ADC64mr, latency: 5, uses: [{resource: Zn4LSU, acquire: 0, release: 2}, {resource: Zn4Load, acquire: 0, release: 1}, {resource: Zn4Store, acquire: 0, release: 1}, {resource: Zn4AGU012, acquire: 0, release: 2}, {resource: Zn4ALU0123, acquire: 0, release: 2}]}
YAML
silent "$cyclops" survey ADC64mr --isa x86_64 --target "sim:./chains.yaml,noise=none" --output chains
grep -vE '"kernel":"ADC64mr\.(.*flags|broken)' chains/measurements.jsonl >less && mv less chains/measurements.jsonl
expect 0 'compared' "$cyclops" repair chains --mcpu znver4 --output chains-fixed.yaml
expect 0 '^[^#]*match: "ADC64mr", latency: 5,' cat chains-fixed.yaml
expect 0 '^0$' bash -c "grep -c '# ADC64mr latency memory' chains-fixed.yaml || true"

# The page: all forms are in it; what would end its data is not.
expect 0 'report.html: 5 forms, 3 findings' "$cyclops" report moved --mcpu znver4 --output report.html
page_data() { sed -n 's|^<script type="application/json" id="data">\(.*\)</script>$|\1|p' "$1"; }
page_data report.html >page.json
expect 0 '^5 3 39$' python3 -c '
import json
data = json.load(open("page.json"))
print(len(data["forms"]), len(data["findings"]), data["compared"])'
sed 's/"kernel":"add-r64"/"kernel":"<\/script>add"/' run.jsonl >hostile.jsonl
expect 0 '2 forms' "$cyclops" report hostile.jsonl --mcpu znver4 --output hostile.html
expect 0 '^1$' grep -c '</script>add\|u003c/script>add' hostile.html
expect 0 '^2$' grep -c '^<script' hostile.html

# Results of other kinds: sweeps and pairs, a corpus as its folder and as a file, scores, a card with its curves.
quiet=(--isa x86_64 --target sim:znver4,noise=none)
silent() { expect 0 '' bash -c '"$@" >/dev/null 2>&1 && echo done' - "$@"; }
silent "$cyclops" run imul-r64 --sweep 1..4 "${quiet[@]}" --output runs.jsonl
silent bash -c '"$@" >pairs.jsonl' - "$cyclops" pairs add-r64 imul-r64 "${quiet[@]}" --json
printf '4801d8\n480fafc1\n48f7f1\n4803074883c708\n' >blocks.hex
silent "$cyclops" corpus run blocks.hex "${quiet[@]}" --output corpus
silent bash -c '"$@" >scores.csv' - "$cyclops" corpus score corpus --isa x86_64 --mcpu znver1 --blocks values.csv --csv
silent "$cyclops" machine widths "${quiet[@]}" --output card
printf 'overlay: 1\nname: c\nbase: llvm\ncpu: znver4\ncard:\n  - {name: load-queue, group: windows, verdict: exact, value: 72, unit: entries, curve: c.svg}\n' >curve.yaml
printf '<svg xmlns="http://www.w3.org/2000/svg"/>' >c.svg
expect 0 'all.html: .*, 2 corpora, 1 table of scores, 2 cards' "$cyclops" report runs.jsonl pairs.jsonl corpus values.csv scores.csv card curve.yaml \
    --isa x86_64 --mcpu znver4 --output all.html
page_data all.html >all.json
expect 0 '^ok$' python3 -c '
import json
data = json.load(open("all.json"))
folder, values = data["corpora"]
assert len(folder["values"]) == len(values["values"]) == 8, "four blocks in two forms"
assert folder["models"] == ["llvm-22/znver4"] or folder["models"] == ["llvm-19/znver4"], folder["models"]
assert values["models"][0].endswith("/znver1"), values["models"]
by_block = {(v[0], v[1]): v for v in folder["values"]}
block = by_block["480fafc1", 0]
assert block[7] == "imul rax, rcx", block
assert abs(block[3] - 3) < 0.05 and abs(block[8] - 3) < 0.05, block
assert [row[2] for row in data["scores"][0]["rows"]].count("all") == 2
widths = {e["name"]: e for e in data["cards"][0]["entries"]}
assert widths["dispatch"]["value"] == 6, widths
curve, = data["cards"][1]["entries"]
assert curve["value"] == 72 and curve["curve"].startswith("<svg"), curve
sweep, = data["sweeps"]
assert (sweep["name"], [p[0] for p in sweep["points"]]) == ("imul-r64", [1, 2, 3, 4]), sweep
pair, = data["pairs"][1]
assert (pair["first"], pair["second"], pair["measured"]["pairing"]) == ("add-r64", "imul-r64", "together"), pair
print("ok")'
# Two CPUs in one file are two sweeps, each with its own model; a run that goes on adds to its sweep, with other models.
silent "$cyclops" run imul-r64 --sweep 1..3 "${quiet[@]}" --mcpu znver4 --output two.jsonl
silent "$cyclops" run imul-r64 --sweep 1..4 --isa x86_64 --target sim:skylake-avx512,noise=none --mcpu skylake-avx512 --output two.jsonl
silent "$cyclops" run imul-r64 --sweep 4..5 "${quiet[@]}" --mcpu znver3 --output two.jsonl
# The kernel's default is 14 streams: the sweep ends before it.
silent "$cyclops" run fma-ymm-ps --sweep 1..12 "${quiet[@]}" --mcpu none --output gap.jsonl
silent "$cyclops" run imul-r64 --sweep 1..2 "${quiet[@]}" --mcpu none --output short.jsonl
expect 0 'sweeps.html' "$cyclops" report base two.jsonl gap.jsonl short.jsonl --mcpu znver4 --output sweeps.html
page_data sweeps.html >sweeps.json
expect 0 '^ok$' python3 -c '
import json
first, second, gap = json.load(open("sweeps.json"))["sweeps"]
assert first["source"].startswith("sim:znver4,") and second["source"].startswith("sim:skylake-avx512,"), (first, second)
assert [m.split("/")[1] for m in first["models"]] == ["znver4", "znver3"], first
assert [m.split("/")[1] for m in second["models"]] == ["skylake-avx512"], second
assert [p[0] for p in first["points"]] == [1, 2, 3, 4, 5], first
assert [[c is None for c in p[5:]] for p in first["points"]] == 3 * [[False, True]] + 2 * [[True, False]], first
assert [p[0] for p in second["points"]] == [1, 2, 3, 4] and all(len(p) == 6 for p in second["points"]), second
assert gap["name"] == "fma-ymm-ps" and [p[0] for p in gap["points"]] == list(range(1, 13)), gap
print("ok")'
expect 0 'cards.html: 1 card' "$cyclops" report card/card.yaml --output cards.html
# Quoted cells and lines as Windows ends them.
sed '2,$s/[^,]*$/"&"/; s/$/\r/' values.csv >windows.csv
expect 0 'windows.html: 1 corpus' "$cyclops" report windows.csv --isa x86_64 --output windows.html
corpus_of() { page_data "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["corpora"][0]["values"])'; }
silent "$cyclops" report values.csv --isa x86_64 --output plain.html
expect 0 same bash -c '[ "$1" = "$2" ] && [ "$1" != "[]" ] && echo same' - "$(corpus_of windows.html)" "$(corpus_of plain.html)"
# The files in between go where the environment says.
expect 1 "cannot make a file '/no-such/cyclops-report-" env TMPDIR=/no-such "$cyclops" report corpus --isa x86_64 --mcpu znver4 --output bad.html
sed '3s/,[0-9.]*,/,abc,/' values.csv >bad.csv
expect 2 'bad.csv:3:[0-9]+: this is not a number' "$cyclops" report bad.csv --isa x86_64 --output bad.html
sed '2s/$/,1/' values.csv >bad.csv
expect 2 'bad.csv:2: this line has 13 cells under 12 titles' "$cyclops" report bad.csv --isa x86_64 --output bad.html
cut -d, -f1-9 values.csv >bad.csv
expect 2 "bad.csv:1: no column holds a model's predictions" "$cyclops" report bad.csv --isa x86_64 --output bad.html
sed 's/value: 72/value: many/' curve.yaml >bad.yaml
expect 2 "bad.yaml:6:63: expected a number, not 'many'" "$cyclops" report bad.yaml --output bad.html
expect 2 'there is no .card:. in it' "$cyclops" report worse.yaml --output bad.html
expect 2 "cannot read 'none.csv'" "$cyclops" report none.csv --output bad.html
[ ! -e bad.html ] || { echo "FAILED: a refused page was written"; failures=$((failures + 1)); }
if command -v tidy >/dev/null; then
    for page in report.html all.html; do
        expect 0 '^0$' bash -c "tidy -e -q $page 2>&1 | grep -c 'Error\|Warning'; true"
    done
fi

# "-" is no file; what is near a mistyped option, with its dashes.
expect 2 'option --junit names a file: for standard output, write /dev/stdout' "$cyclops" check base --mcpu znver4 --junit -
expect 2 'option --output names a file' "$cyclops" report base --mcpu znver4 --output -
[ ! -e ./- ] || { echo "FAILED: a file '-' was written"; failures=$((failures + 1)); }
# /dev/stdout is standard output, also where that is a file: the link stays, and what was printed before stays.
stdout=$(readlink /dev/stdout)
expect 0 '<testsuites name' "$cyclops" check base --mcpu znver4 --junit /dev/stdout
grep -q 'No findings' "$T/out" || { echo "FAILED: the report is overwritten"; failures=$((failures + 1)); }
[ "$(readlink /dev/stdout)" = "$stdout" ] || { echo "FAILED: /dev/stdout is replaced"; failures=$((failures + 1)); }
expect 2 "did you mean '--markdown'" "$cyclops" check base --markdwn x
expect 2 "'./base' is given twice" "$cyclops" table base ./base
expect 2 "'base' is given twice" "$cyclops" check base base --mcpu znver4
expect 2 "no kernel and no form 'VADPSYrr' .did you mean .*'VADDPSYrr'" "$cyclops" run VADPSYrr --isa x86_64 --target sim:znver4

# Two outputs with one name, also where one follows from another.
expect 2 '--junit and --markdown would write the same file' "$cyclops" check base --mcpu znver4 --junit one --markdown ./one
expect 2 '--review and --td-output would write the same file' "$cyclops" repair base --mcpu znver4 --output x.yaml --td none.td --review x.diff

# Outputs that cannot be written: exit status 2, whether that shows at once or at the end, and no word of success.
unwritten=(--mcpu znver4)
expect 2 'cannot write .*/dev/full' "$cyclops" repair base "${unwritten[@]}" --output /dev/full
! grep -q 'rules of classes' "$T/out" || { echo "FAILED: success before what is not written"; failures=$((failures + 1)); }
expect 2 'cannot write .*/dev/full' "$cyclops" check base "${unwritten[@]}" --junit /dev/full
expect 2 'cannot write .*/dev/full' "$cyclops" check base "${unwritten[@]}" --markdown /dev/full
expect 2 'cannot write .*/dev/full' "$cyclops" check base "${unwritten[@]}" --write-allow /dev/full
expect 2 'cannot write .*/dev/full' "$cyclops" report base "${unwritten[@]}" --output /dev/full
for command in "check base --mcpu worse.yaml" "diff base moved" "diff base moved --json" "table base --csv" "table base"; do
    expect 2 'cannot write' bash -c "'$cyclops' $command >/dev/full"
done
expect 2 "'/dev/full' is not a folder" "$cyclops" table base "${unwritten[@]}" --exegesis-yaml /dev/full
ls /dev/full-* 2>/dev/null && { echo "FAILED: files beside /dev/full"; failures=$((failures + 1)); }
expect 2 "cannot write '/proc/x-latency.yaml'" "$cyclops" table base "${unwritten[@]}" --exegesis-yaml /proc/x

# One stream alone is a chain, and is called so.
expect 0 '1 form, ' "$cyclops" report runs.jsonl --mcpu znver4 --output streams.html
expect 0 '"one stream, looped[^"]*",0,0,(3|2[.]99)' page_data streams.html
expect 0 '"each of 4 streams, looped[^"]*",0,0,(1|0[.]99)' page_data streams.html

# Bad input.
expect 2 'output names the HTML file' "$cyclops" report base
expect 2 'output names the overlay' "$cyclops" repair base
expect 2 "a model of LLVM's can be repaired" "$cyclops" repair base --mcpu worse.yaml --output x.yaml
expect 2 'name the folder of a survey' "$cyclops" check
expect 2 'one model at a time' "$cyclops" check base --mcpu znver4 --mcpu znver3
expect 2 'folders of a survey, or measurement files' "$cyclops" check base run.jsonl
expect 2 'needs a model to check' "$cyclops" check base --mcpu none --against znver4
expect 2 'leaves nothing to ask' "$cyclops" check base --mcpu none
expect 2 'unknown kind of annotations' "$cyclops" check base --annotations gitlab
expect 2 'no survey' "$cyclops" check "$T" --mcpu znver4
# Folders of another kind; outputs that cannot be written are found before the work.
expect 2 "'corpus' holds no survey: it holds a corpus, for 'cyclops corpus score'" "$cyclops" table corpus
expect 2 "'card' holds no survey: it holds a machine card, for 'cyclops report'" "$cyclops" table card
expect 2 "'corpus' holds no survey" "$cyclops" check corpus --mcpu znver4
expect 2 "'card' holds no survey" "$cyclops" repair card --mcpu znver4 --output x.yaml
# A survey's own files are read with their folder, and not written over.
expect 2 "'base/measurements.jsonl' is a file of the survey 'base': name the folder" "$cyclops" check base/measurements.jsonl
expect 2 "is a file of the survey 'base': name the folder" "$cyclops" repair base/forms.jsonl --mcpu znver4 --output x.yaml
expect 2 "'worse.yaml' is YAML, and no measurement is" "$cyclops" check worse.yaml --mcpu znver4
for own in forms.jsonl measurements.jsonl commands.txt; do
    expect 2 "'base/$own' is a file of the survey 'base': name another one to write" "$cyclops" report base --mcpu znver4 --output "base/$own"
done
expect 2 'name another one to write' "$cyclops" repair base --mcpu znver4 --output base/measurements.jsonl
expect 2 'name another one to write' "$cyclops" check base --mcpu znver4 --junit base/forms.jsonl
mkdir nothing
expect 2 "'nothing' holds no survey: there is no measurements.jsonl" "$cyclops" report nothing --mcpu znver4 --output bad.html
expect 2 "cannot write 'none/x.yaml': No such file" "$cyclops" repair base --mcpu znver4 --output none/x.yaml
expect 2 "cannot write 'none/x.md': No such file" "$cyclops" repair base --mcpu znver4 --output x.yaml --review none/x.md
expect 2 "cannot write 'base': Is a directory" "$cyclops" check base --mcpu znver4 --junit base
expect 2 "cannot write 'none/x.md': No such file" "$cyclops" check base --mcpu znver4 --markdown none/x.md
expect 2 "cannot write 'none/x.yaml': No such file" "$cyclops" check base --mcpu znver4 --write-allow none/x.yaml
expect 2 "cannot write 'none/x.html': No such file" "$cyclops" report base --mcpu znver4 --output none/x.html
[ ! -e x.yaml ] || { echo "FAILED: a refused repair was written"; failures=$((failures + 1)); }
printf 'allowances: 1\nallow:\n  - {finding: a}\n' >bad.yaml
expect 2 "bad.yaml:3:.*reason" "$cyclops" check base --allow bad.yaml
# A damaged line of a measurement file is lost alone, and reported once.
sed '3s/.\{9\}$/#########/' run.jsonl >hurt.jsonl
expect 0 '^cyclops: warning: hurt.jsonl:3: the line ' "$cyclops" check hurt.jsonl --mcpu znver4
expect 0 '^1$' bash -c '"$1" report hurt.jsonl --mcpu znver4 --output hurt.html 2>&1 | grep -c "warning: hurt.jsonl"' - "$cyclops"
expect 0 'warning: hurt.jsonl:3: the line ' "$cyclops" report base hurt.jsonl --mcpu znver4 --output hurt.html
# Files without measurements, also cut ones, and two machines at once.
: >empty.jsonl
head -c 100 run.jsonl >cut.jsonl
for file in empty.jsonl cut.jsonl; do
    expect 2 "there are no measurements in '$file'" "$cyclops" check $file
    expect 2 "there are no measurements in '$file'" "$cyclops" report $file --output bad.html
    expect 2 "there are no measurements in '$file'" "$cyclops" diff run.jsonl $file
done
for command in report "check --mcpu znver4"; do
    output=$([ "$command" != report ] || echo "--output bad.html")
    expect 2 "'moved' is of another machine, microcode or target than the folder before it" "$cyclops" $command base moved $output
done
# A table has a column for each machine, and a page of them shows the same.
expect 0 '^moved beside base: latencies: [0-9]+ shorter, [1-9][0-9]* longer; ' env COLUMNS=200 "$cyclops" table base moved
expect 0 '^  form +base +moved$' "$cyclops" table base moved --differs
expect 2 "^cyclops: error: --html is of several machines, and these folders are of one" "$cyclops" table base --html bad.html
expect 2 "^cyclops: error: --json is of one machine, and these are several" "$cyclops" table base moved --json
"$cyclops" table base moved --csv >machines.csv
"$cyclops" table base --csv | xz >published.csv.xz
expect 0 '^published: ' "$cyclops" table published.csv.xz moved
expect 2 "^cyclops: error: .*machines.csv:1: it is no table of 'cyclops table --csv': it has no column 'cycles'" "$cyclops" table machines.csv moved
head -c 200 published.csv.xz >cut.csv.xz
expect 2 '^cyclops: error: .*cut.csv.xz' "$cyclops" table cut.csv.xz moved
expect 2 'two measurements' "$cyclops" diff base
finish
