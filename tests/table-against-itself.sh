#!/usr/bin/env bash
# scripts/table-against-itself on surveys of simulated CPUs, where nothing contradicts itself but what the model does; and
# on the same with false values.
#   table-against-itself.sh BUILD
. "$(dirname "$0")/lib.sh"
script=$here/../scripts/table-against-itself
itself() { "$script" --build "$build" "$@"; }
sim=(--target sim:znver4,noise=none --isa x86_64)
forms=('V?(ADD|MUL|DIV)P[SD](Y|Z|Z128|Z256)?r[rm]' 'VADDPSZ(128|256)?r[rm]b?kz?' 'VFMADD213PS(Y|Z128|Z256)?[rm]'
    'V?P(ADD|AND|MULL)D(Y|Z|Z128|Z256)?r[rm]' 'VP(MAX|MIN)[SU][BWD]rr' 'VMOVAPS(Y|Z|Z128|Z256)?(rr|rm|mr)' 'KANDQ(kk|rr)'
    '(ADD|AND|CMP|XOR)(16|32|64)(rr|rm|mr|ri|ri8|ri32|mi8|mi|mi32)' 'I?(MUL|DIV)(32|64)r' 'IMUL(32|64)r[rm]i?8?' XADD64rm
    'MOV(32|64)(rm|mr)')
"$cyclops" survey "${forms[@]}" "${sim[@]}" --output "$T/s" >/dev/null 2>&1
"$cyclops" table "$T/s" --json >"$T/table.jsonl"

# Each rule sees a false value, and nothing in the true table but what LLVM's model of Zen 4 itself states.
expect 0 '^[0-9]+ false values of [0-9]+ kinds, 0 failures$' python3 "$here/table-against-itself.py" "$T/table.jsonl"
expect 1 '^[1-9][0-9]* findings, 0 questions, 0 explained$' itself "$T/s"
expect 1 "run --kernels $T/s/kernels --isa x86_64 --target sim:znver4,noise=none,seed=1 [A-Z0-9a-z]+rm\." itself "$T/s" --kind load
expect 1 '^[1-9][0-9]* findings' itself "$T/table.jsonl"
# By which clock, and when; no kind without findings; and what to do next.
expect 1 '^Clock: ratio clock, .*\. Measured: 20[0-9-]+T[0-9:]+Z' itself "$T/s"
expect 1 '^load: [1-9][0-9]*: ' itself "$T/s"
expect 1 '^none$' bash -c '"$@" | grep -E "^[a-z-]+( \(question\))?: 0: " || echo none; exit 1' - "$script" --build "$build" "$T/s"
expect 1 "^All of one kind: .*table-against-itself $T/s --kind load --most [1-9][0-9]*\$" itself "$T/s"
expect 1 "^Why they contradict each other: .* --explain load\$" itself "$T/s"
# At a terminal, lines fit; commands stay whole.
at_terminal() { COLUMNS=${columns:-200} python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" </dev/null | tr -d '\r'; }
too_wide() { at_terminal "$@" | grep -vE 'cyclops run|--(kind|allow|explain) ' | LC_ALL=C.UTF-8 grep -E '^.{81}' || echo none; }
expect 0 '^[1-9][0-9]* findings, ' at_terminal "$script" --build "$build" "$T/s"
expect 0 '^none$' too_wide "$script" --build "$build" "$T/s"
expect 0 '^none$' too_wide "$script" --explain all
columns=80
expect 0 '^none$' too_wide "$script" --help

# What is explained is no finding: by a pattern, a bound, and a day. What explains nothing is reported.
cat >"$T/allow.yaml" <<'YAML'
allowances: 1
allow:
  - finding: "load/*" # as findings have it
    reason: LLVM's model of Zen 4 has five cycles for a load, and
      four of them for an operation with one
    bound: 900 %
  - finding: "twins/NOP*"
    reason: "there is no such form"
YAML
expect 0 '^0 findings, 0 questions, [1-9][0-9]* explained$' itself "$T/s" --allow "$T/allow.yaml"
expect 0 "allow.yaml:7: 'twins/NOP\*' explains nothing" itself "$T/s" --allow "$T/allow.yaml"
expect 1 '"explained": "LLVM.s model of Zen 4 has five cycles for a load, and four of them for' \
    bash -c '"$@"; exit 1' - "$script" --build "$build" "$T/s" --allow "$T/allow.yaml" --json
sed -i 's/900 %/1 %/' "$T/allow.yaml"
expect 1 ' 0 explained$' itself "$T/s" --allow "$T/allow.yaml"
sed -i 's/bound: 1 %/expires: 2020-01-31/' "$T/allow.yaml"
expect 1 ' 0 explained$' itself "$T/s" --allow "$T/allow.yaml"
# `cyclops check` reads the same format.
expect 0 "^read$" bash -c '"$@" >/dev/null; [ $? -le 1 ] && echo read' - "$cyclops" check "$T/s" --allow "$T/allow.yaml" --mcpu znver4

# A table that an earlier program printed has no commands and no chains.
sed -E 's/,"again":"[^"]*"//g; s/,"chain":[0-9.]+//g' "$T/table.jsonl" >"$T/earlier.jsonl"
expect 1 "cyclops run --kernels $T/earlier.jsonl/kernels [A-Z0-9a-z]+rm\." itself "$T/earlier.jsonl" --kind load

# Another ISA, whose texts have no shapes of x86's.
"$cyclops" survey 'ADDW?[WX]r[rsi]' 'LDR[WX]ui' 'F(ADD|MUL|DIV)[SD]rr' 'MADD.*' --isa aarch64 --target sim:neoverse-v2,noise=none \
    --output "$T/arm" >/dev/null 2>&1
expect 0 '^0 findings, 0 questions, 0 explained$' itself "$T/arm"

expect 0 '^twins \(finding\): AVX.s and' itself --explain twins
expect 0 '^clusters \(question\): ' itself --explain all
expect 2 "no kind 'twin': twins, legacy, " itself --explain twin
expect 2 "no kind 'twin': twins, legacy, " itself "$T/s" --kind twin
expect 2 'which survey' itself
expect 2 "holds no survey" itself "$T"
echo '{"record":"form"}' >"$T/broken.jsonl"
expect 2 'broken.jsonl: it is not what' itself "$T/broken.jsonl"
echo 'no table' >"$T/no.jsonl"
expect 2 "no.jsonl: it is not JSON Lines: name the folder of a survey" itself "$T/no.jsonl"
echo 'allow: all' >"$T/bad.yaml"
expect 2 "bad.yaml:1: 'allow: all' is no line of an allow-list" itself "$T/s" --allow "$T/bad.yaml"
printf 'allowances: 1\nallow:\n  - finding: "load/*"\n' >"$T/bad.yaml"
expect 2 'bad.yaml:3: an allowance has a finding and a reason' itself "$T/s" --allow "$T/bad.yaml"
finish
