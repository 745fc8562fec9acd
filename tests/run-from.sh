#!/usr/bin/env bash
# Measurements of elsewhere held against models here: any ISA, and files of anybody.  run-from.sh BUILD
. "$(dirname "$0")/lib.sh"
from() { expect "$1" "$2" "$cyclops" run --from "$T/file" "${@:3}"; }
header='{"record":"host","version":1,"cpu":"Cortex-A55","kernel":"6.1","clock":{"tier":"ratio","note":"ratio clock: a good one"}}'
# record KEYS: a measurement of an aarch64 add in a chain, with KEYS added or, as later ones, in the place of its own
record() {
    jq -nc --argjson more "{$1}" '{record: "measurement", kernel: "add-x", isa: "aarch64", mode: "latency", form: "unrolled",
        arc: "d->a", instruction: "add x", n: 1, instructions: 1, cycles: 1, low: 0.99, high: 1.01, confidence: 0.99,
        verdict: "within", clock: "ratio", clock_error: 0.001, samples: 40, bytes: "0000018b"} + $more'
}
file() { printf '%s\n' "$@" >"$T/file"; }

export COLUMNS=400 # the lines about host and clock stay whole
# What cyclops run writes, it reads: the same rows, here and in a file of a runner (bundle.sh tries those).
"$cyclops" run fma-zmm-ps --isa x86_64 --target sim:skylake-avx512 --mcpu znver4 --sweep 6..8 --output "$T/file" >"$T/measured" 2>&1 || exit 1
"$cyclops" run --from "$T/file" --mcpu znver4 >"$T/again" 2>&1
expect 0 same bash -c "diff <(tail -n +2 '$T/measured') <(tail -n +2 '$T/again') && echo same"
from 0 'llvm-19/znver4' # its own models, where none is named
expect 0 '^3 8' bash -c "'$cyclops' run --from '$T/file' --mcpu skylake-avx512 --json | jq -s '[map(select(.form == \"looped\"))[].predicted[0].cycles] | \"\\(length) \\(max * 2)\"' -r"

# The model of an Arm core by its own name; another one; none.
file "$header" "$(record '')"
from 0 '^Cortex-A55, Linux 6.1 → ratio clock: a good one'
from 0 'add-x +latency d->a +unrolled +1.00 ±0.01 +1.00 +0 %'
from 0 'llvm-19/cortex-a55'
from 0 'neoverse-n1' --mcpu neoverse-n1 --mcpu cortex-a72
file "${header/Cortex-A55/Some board}" "$(record '')"
from 0 'name a model with --mcpu'
file "$(record '"isa": "riscv64", "bytes": "b3805000"')"
from 0 'unknown host .*' --mcpu sifive-u74
file "$header" "$(record '')" "$(record '"isa": "riscv64", "bytes": "b3805000"')" "$header" "$(record '')"
expect 0 '^3$' bash -c "'$cyclops' run --from '$T/file' --mcpu none | grep -c '→ ratio'"
file "$header" "$(record '"mode": "latency", "bytes": "410002aa"')" "$(record '"outcome": "illegal instruction", "cycles": 0, "low": 0, "high": 0')"
from 1 'add-x .latency.*: illegal instruction there'

file "$header" "$(record '')" "$(record '"beside": {"kernel": "mul-x", "cycles": 3, "low": 3, "high": 3}')"
from 0 '1 measurement with a co-runner is left out'

# Sweeps of two kernels whose rows take turns, as a bundle's runner that may be killed writes them: a table each.
looped() { record "\"kernel\": \"$1\", \"mode\": \"throughput\", \"form\": \"looped\", \"arc\": null, \"n\": $2"; }
file "$header" "$(looped add-x 1)" "$(looped sub-x 1)" "$(looped sub-x 2)" "$(looped add-x 2)"
expect 0 '^2 4$' bash -c "'$cyclops' run --from '$T/file' --mcpu none >'$T/swept'; echo \$(grep -c 'measured, looped' '$T/swept') \$(grep -cE '^ +[12] +1.00' '$T/swept')"

# Code is decoded, never run: these bytes would end the program (brk, svc, an endless loop).
for bytes in 000020d4 010000d4 00000014; do
    file "$header" "$(record "\"mode\": \"block\", \"bytes\": \"$bytes\"")"
    from 0 '→ ratio clock'
done
if [ "$(uname -m)" = x86_64 ]; then
    for bytes in cc 0f05 ebfe; do
        file "$header" "$(record "\"isa\": \"x86_64\", \"mode\": \"block\", \"bytes\": \"$bytes\"")"
        from 0 '→ ratio clock' --mcpu znver4
    done
    from 0 'branches inside' --mcpu znver4
fi

# What drives a terminal is shown instead of done: ESC, CSI as one character, a right-to-left override.
evil='\u001b[2J\u009b31m\u202e'
file "${header/Cortex-A55/$evil}" "$(record "\"kernel\": \"$evil\", \"instruction\": \"$evil\", \"events\": {\"a\": 1, \"$evil\": 2}, \"verdict\": \"unstable\", \"why\": \"$evil\", \"samples\": 1")" \
    "$(record "\"outcome\": \"timed out\", \"verdict\": \"$evil\"")"
from 2 'unknown (verdict|outcome)'
sed -i '$d' "$T/file"
for how in '' --json; do
    "$cyclops" run --from "$T/file" --mcpu cortex-a55 $how >"$T/shown" 2>&1
    expect 1 '^0' env LC_ALL=C grep -cP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae' "$T/shown"
    expect 0 '2J' cat "$T/shown"
done

# What no program is, no run measures, or nobody should have to wait for.
wrong() { file "$header" "$(record '')" "$(record "$1")"; from 2 "file:3: .*$2"; }
wrong '"cycles": -4, "low": -5, "high": -3' 'but must be from 0'
wrong '"n": 0, "mode": "throughput"' "needs 'n'"
wrong '"n": 100000, "mode": "throughput"' "'n' is"
wrong '"isa": "z80"' "unknown ISA 'z80'"
wrong '"isa": null' 'state the ISA'
wrong '"mode": "fast"' "'mode' is 'fast'"
wrong '"form": null' "'form' is ''"
wrong '"bytes": "4"' 'two digits'
wrong '"bytes": "zz"' 'hexadecimal'
wrong '"bytes": ""' 'two digits'
file "$header" "$(record '')"
jq -c 'if .bytes then .bytes = "1f2003d5" * 16385 else . end' "$T/file" >"$T/long" && mv "$T/long" "$T/file"
from 2 'more than 65536 bytes'
file "$header"
from 2 'no measurements'
expect 2 'no/such' "$cyclops" run --from "$T/no/such"
expect 2 'cannot read' "$cyclops" run --from /dev/zero
expect 2 'go with it' "$cyclops" run add-r64 --from "$T/file"
expect 2 'go with it' "$cyclops" run --from "$T/file" --target sim:znver4
finish
