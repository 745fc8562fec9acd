#!/usr/bin/env bash
# cyclops corpus on simulated CPUs, whose numbers are known: a model has no error on its own CPU; a run that was killed or
# interrupted goes on; bad input; scores of others' values equal to those of cyclops mca.  corpus.sh BUILD
. "$(dirname "$0")/lib.sh"
blocks=$here/blocks/bhive-sample.hex
sim=(--isa x86_64 --target sim:skylake)
quiet=(--isa x86_64 --target sim:skylake,noise=none)

check() { [ "$1" = "$2" ] || { echo "FAILED: $3: '$1' and not '$2'"; failures=$((failures + 1)); }; }
values() { jq -Rn '[inputs | fromjson? | select(.record == "measurement")] | group_by([.kernel, .form]) | length' "$1/measurements.jsonl"; }

# ---- a run, and what it holds
head -80 "$blocks" >"$T/some.hex"
n=$(sort -u "$T/some.hex" | grep -c .)
# Of so many values, noise may leave a few unstable.
expect 0 "^ *$n \(100.0 %\) have a value in both forms; [0-9]+ \((9[5-9]|100)[.0-9]* %\) a stable one$" \
    "$cyclops" corpus run "$T/some.hex" "${sim[@]}" --output "$T/noisy"
for file in measurements.jsonl blocks.jsonl settings.json; do
    [ -s "$T/noisy/$file" ] || { echo "FAILED: there is no $file"; failures=$((failures + 1)); }
done
check "$(jq -r .block "$T/noisy/blocks.jsonl" | sort -u | wc -l)" "$n" "blocks in blocks.jsonl"
# A short block is repeated in its loop: 5 instructions at least, and the loop's two.
check "$(jq -r 'select(.record == "measurement" and .form == "looped") | select(.instructions < 7) | .kernel' "$T/noisy/measurements.jsonl" | wc -l)" 0 \
    "loops of fewer than 5 instructions"

# ---- under noise, a CPU's own model is right: nothing but the noise is left
own=$("$cyclops" corpus score "$T/noisy" --isa x86_64 --mcpu skylake --json)
jq -es 'length == 2 and all(.mean_error < 0.005 and .in_interval > 0.95 and .tau_b > 0.9 and .refused == 0 and .within_5_percent == 1)' <<<"$own" >/dev/null ||
    { echo "FAILED: the simulated CPU's own model: $own"; failures=$((failures + 1)); }
# Another CPU's is not.
other=$("$cyclops" corpus score "$T/noisy" --isa x86_64 --mcpu znver1 --json --worst 3)
jq -es 'all(.mean_error > 0.05 and .in_interval < 0.9 and (.worst | length) == 3 and .worst[0].error != 0)' <<<"$other" >/dev/null ||
    { echo "FAILED: another CPU's model: $other"; failures=$((failures + 1)); }
expect 0 'the worst blocks' "$cyclops" corpus score "$T/noisy" --isa x86_64 --mcpu znver1 --worst 2
expect 0 '^llvm-[0-9]+/znver1,looped,"all",'"$n," "$cyclops" corpus score "$T/noisy" --isa x86_64 --mcpu znver1 --csv

# ---- the CSV file of blocks gives the same scores again
"$cyclops" corpus score "$T/noisy" --isa x86_64 --mcpu znver1 --csv --blocks "$T/blocks.csv" >"$T/first" 2>&1
"$cyclops" corpus score --measured "$T/blocks.csv" --isa x86_64 --mcpu znver1 --csv >"$T/second" 2>&1
python3 - "$T/first" "$T/second" <<'PYTHON' || { echo "FAILED: the scores of the CSV file differ"; failures=$((failures + 1)); }
import csv, sys
first, second = ([row for row in csv.reader(open(name))] for name in sys.argv[1:])
assert len(first) == len(second) > 2
for a, b in zip(first[1:], second[1:]):
    assert a[:4] == b[:4] and abs(float(a[4]) - float(b[4])) < 0.05, (a, b) # the file's values are rounded
PYTHON

# ---- killed again and again, a run goes on until all is there; no line is lost but the one that was cut
RANDOM=1
for ((kill = 0; kill < 6; kill++)); do
    resume=--resume
    [ -e "$T/killed/settings.json" ] || resume=
    before=$([ -e "$T/killed/measurements.jsonl" ] && values "$T/killed" || echo 0)
    "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/killed" $resume >/dev/null 2>&1 &
    # On a busy machine, a program may take seconds to begin: the first kill waits for the folder.
    for ((wait = 0; wait < 300; wait++)); do [ ! -e "$T/killed/settings.json" ] && sleep 0.1 || break; done
    sleep 0.0$((RANDOM % 9 + 1))
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
    [ ! -e "$T/killed/measurements.jsonl" ] || [ "$(values "$T/killed")" -ge "$before" ] ||
        { echo "FAILED: a kill lost measurements"; failures=$((failures + 1)); }
done
expect 0 "^ *stable value +$n +$n$" "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/killed" --resume
check "$(values "$T/killed")" "$((2 * n))" "values after kills"
lines=$(wc -l <"$T/killed/measurements.jsonl")
expect 0 "$((2 * n)) of $((2 * n)) values are taken" "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/killed" --resume
check "$(wc -l <"$T/killed/measurements.jsonl")" "$lines" "lines after a run with nothing to do"

# ---- interrupted: exit 130, and what was measured is there
yes 4801d8 | head -3000 | awk '{ printf "4881c0%08x\n", NR }' >"$T/many.hex"
env --default-signal=INT "$cyclops" corpus run "$T/many.hex" "${quiet[@]}" --output "$T/stopped" >"$T/messages" 2>&1 &
within 20 test -s "$T/stopped/measurements.jsonl"
# A second run in the same folder is refused while the first one is at work.
expect 2 "another corpus is at work in '$T/stopped'" "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/stopped" --resume
kill -INT $!
wait $!
status=$?
if [ $status != 0 ]; then # it was not too fast
    check $status 130 "status of an interrupted run"
    grep -q -- '--resume does the rest' "$T/messages" || { echo "FAILED: no word of --resume"; failures=$((failures + 1)); }
fi

# ---- a budget that ends before all is measured
expect 0 'To do the rest: cyclops corpus run .*many.hex .* --resume --output .*/late0$' "$cyclops" corpus run "$T/many.hex" "${quiet[@]}" --output "$T/late0" --budget 0.5
expect 0 'the budget is spent; --resume does the rest' "$cyclops" corpus run "$T/many.hex" "${quiet[@]}" --output "$T/late" --budget 0.5
[ "$(values "$T/late")" -lt 6000 ] || { echo "FAILED: all is measured in spite of the budget"; failures=$((failures + 1)); }
# Simulated time counts: here it is all spent on waiting for a clock that is never steady.
expect 0 'the budget is spent' "$cyclops" corpus run "$T/some.hex" --isa x86_64 --target sim:skylake,noise=jitter:2000 --output "$T/restless" --budget 20

# ---- each process has another value: three looks that agree make a range, with the reason
"$cyclops" corpus run "$T/some.hex" --isa x86_64 --target sim:skylake,noise=spread:0.02 --output "$T/spread" --limit 6 >"$T/messages" 2>&1
expect 0 '^[1-9]' jq -s '[.[] | select((.warning // "") | test("another value in each process, at [3-9] times")) | .high > .low * 1.02] | map(select(.)) | length' "$T/spread/measurements.jsonl"

# ---- parts
for i in 1 2 3; do
    expect 0 'stable value' "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/part$i" --shard $i/3
done
parts=$("$cyclops" corpus score "$T"/part? --isa x86_64 --mcpu skylake --json | jq -s '.[0].blocks')
check "$parts" "$n" "blocks of three parts"
expect 0 "^10 blocks" "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/ten" --limit 10

# ---- malformed lines: each with its place; the rest goes on, unless --strict
printf 'hex,cycles\n4801d8,1\n48x1d8,1\n480,2\n,3\n06,4\neb7f,5\n4801D8,6\n' >"$T/bad.csv"
bad() { "$cyclops" corpus run "$T/bad.csv" "${quiet[@]}" --output "$T/bad" "$@" 2>&1; rm -rf "$T/bad"; }
for wanted in 'bad.csv:3:3: this is not a hexadecimal digit' 'bad.csv:4:3: half a byte is left over' \
    'bad.csv:5:1: there is no block before the comma' '^3 blocks; 1 more is repeated; 3 lines hold no block$' \
    'undecodable +1 +1' 'jumps away +1 +1' 'stable value +1 +1'; do
    expect 0 "$wanted" bad
done
expect 2 'bad.csv:3:3: this is not a hexadecimal digit' "$cyclops" corpus run "$T/bad.csv" "${quiet[@]}" --output "$T/strict" --strict
# ---- an input that cannot be read: the others go on, and the exit status says so
printf 'foo %%rax\n' >"$T/bad.s"
several() { "$cyclops" corpus run "$T/bad.s" "$T/bad.csv" "$T/none.o" "${quiet[@]}" --output "$T/several" "$@" 2>&1; }
expect 2 'bad.s:1: .*foo' several --strict
expect 2 'stable value +1 +1' several
for wanted in 'bad.s:1: .*foo' "cannot read '.*none.o'"; do expect 2 "$wanted" several --resume; done
[ ! -e "$T/strict" ] || { echo "FAILED: a refused run made its folder"; failures=$((failures + 1)); }
expect 2 "'$T/killed' holds a corpus: --resume goes on with it" "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/killed"
expect 2 'have another CPU' "$cyclops" corpus run "$T/some.hex" --isa x86_64 --target sim:haswell --output "$T/killed" --resume
expect 2 'have another --registers' "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/killed" --resume --registers 0x15000
expect 2 'holds no corpus to go on with' "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --output "$T/new" --resume
expect 2 'name the blocks' "$cyclops" corpus run "${quiet[@]}"
expect 2 "unknown --alias 'both'" "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --alias both --output "$T/alias"
expect 2 '\-\-pages is from 1 to 4096' "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --pages 0 --output "$T/pages"
expect 2 '\-\-shard is I/N' "$cyclops" corpus run "$T/some.hex" "${quiet[@]}" --shard 4/3 --output "$T/shard"
expect 2 "cannot read '$T/none'" "$cyclops" corpus run "$T/none" "${quiet[@]}" --output "$T/none.out"
expect 2 "there is no block in it" bash -c '"$@" <<<""' - "$cyclops" corpus run - "${quiet[@]}" --output "$T/none.out"
printf '\177\001\002\n\001\n\003\n' >"$T/binary"
expect 2 "binary:1: this file is neither text nor an object" "$cyclops" corpus extract "$T/binary" --isa x86_64
[ "$(grep -c error "$T/out")" = 1 ] || { echo "FAILED: several messages of one binary file"; failures=$((failures + 1)); }
expect 2 "'/dev/zero' is a device: name a file" timeout 10 "$cyclops" corpus extract /dev/zero --isa x86_64
expect 2 "'/dev/zero' is a device: name a file" timeout 10 "$cyclops" corpus run /dev/zero "${quiet[@]}" --output "$T/none.out"
expect 2 "unknown subject 'walk'" "$cyclops" corpus walk
expect 2 'say what to do' "$cyclops" corpus
expect 2 'holds no corpus' "$cyclops" corpus score "$T"
expect 2 'name the folder of a corpus' "$cyclops" corpus score
expect 2 "unknown CPU 'z'" "$cyclops" corpus score "$T/noisy" --isa x86_64 --mcpu z
expect 2 'give --csv or --json' "$cyclops" corpus score "$T/noisy" --csv --json
expect 2 "\-\-per takes a number above 0, not 'x'" "$cyclops" corpus score --measured "$T/bad.csv" --per x
expect 2 "cannot write '/proc/x'" "$cyclops" corpus score "$T/noisy" --isa x86_64 --mcpu skylake --blocks /proc/x

# ---- values of others: the predictions are those of cyclops mca, line by line
awk -F, '{ print $1 "," 100 + NR }' "$blocks" | sort -u -t, -k1,1 >"$T/others.csv"
"$cyclops" corpus score --measured "$T/others.csv" --isa x86_64 --mcpu haswell --as-llvm-mca --blocks "$T/others.out" >/dev/null 2>&1
"$cyclops" mca -mtriple=x86_64-linux-gnu -mcpu=haswell --hex --brief "$T/others.csv" | awk '{ printf "%.4f\n", $1 }' >"$T/mca"
tail -n +2 "$T/others.out" | awk -F, '{ printf "%.4f\n", $NF }' >"$T/corpus"
awk '{ getline other < "'"$T/corpus"'"; d = $1 - other; if (d > 0.006 || d < -0.006) bad++ } END { exit bad > 0 || NR < 50 }' "$T/mca" ||
    { echo "FAILED: predictions differ from those of cyclops mca:"; paste "$T/mca" "$T/corpus" | awk '$1 != $2' | head -5; failures=$((failures + 1)); }
# BHive's list of doubtful values, and ours, can be left out.
printf 'hex,cycles,may_alias\n4801d8,1,0\n4803074883c708,2,1\n' >"$T/alias.csv"
expect 0 '^unrolled: 1 stable value; left out: 1 distorted$' "$cyclops" corpus score --measured "$T/alias.csv" --isa x86_64 --mcpu skylake --undistorted
# An unstable value of which no round counts has no number.
printf 'block,form,cycles,low,high,verdict\n4801d8,unrolled,0,0,0,unstable\n4803074883c708,unrolled,2,1,3,unstable\n' >"$T/none.csv"
"$cyclops" corpus score --measured "$T/none.csv" --isa x86_64 --mcpu skylake --blocks "$T/none.out" >/dev/null 2>&1
expect 0 ' 4801d8,unrolled,,,,unstable,.* 4803074883c708,unrolled,2.0000,1.0000,3.0000,unstable,' one_line cat "$T/none.out"
# A score of few blocks says so in every format.
for format in '' --csv --json; do
    expect 0 'warning: not representative: 2 blocks unrolled; fewer than 30' "$cyclops" corpus score --measured "$T/alias.csv" --isa x86_64 --mcpu skylake $format
done
expect 0 '^ *value distorted +1 ' "$cyclops" corpus score --measured "$T/alias.csv" --isa x86_64 --mcpu skylake
# On one thread as on several.
for jobs in 1 3; do
    "$cyclops" corpus score --measured "$T/others.csv" --isa x86_64 --mcpu haswell --mcpu llvm-19/skylake --csv --jobs $jobs >"$T/jobs$jobs" 2>&1
done
cmp -s "$T/jobs1" "$T/jobs3" || { echo "FAILED: the scores depend on --jobs"; failures=$((failures + 1)); }

# ---- basic blocks of a program
cat >"$T/loop.s" <<'ASM'
.globl f
.type f, @function
f:  xor %eax, %eax
1:  add (%rdi), %rax
    add $8, %rdi
    dec %rsi
    jne 1b
    ret
.size f, . - f
ASM
expect 0 '^480307' "$cyclops" corpus extract "$T/loop.s" --isa x86_64
check "$("$cyclops" corpus extract "$T/loop.s" --isa x86_64 2>/dev/null | cut -d, -f1,2,4 | tr '\n' ' ')" \
    "block,symbol,instructions 31c0,f,1 4803074883c70848ffce,f,3 " "basic blocks of a loop"
printf '2 1000\n' >"$T/profile"
expect 0 '^4803074883c70848ffce,1000,f,0x2,3$' "$cyclops" corpus extract "$T/loop.s" --isa x86_64 --hot "$T/profile"
echo "no code" >"$T/no-blocks.hex"
expect 2 'there is no block in .*no-blocks.hex' "$cyclops" corpus extract "$T/no-blocks.hex" --isa x86_64
expect 2 'holds no corpus' "$cyclops" corpus score "$T" --isa x86_64
expect 2 'limit is 1 or more' "$cyclops" corpus run "$T/loop.s" "${quiet[@]}" --output "$T/none" --limit 0
printf '# LLVM-MCA-BEGIN\nadd %%rax, %%rbx\n# LLVM-MCA-END\n' >"$T/marked.s"
expect 0 "marked.s: all its basic blocks are taken, whatever its markers" "$cyclops" corpus run "$T/marked.s" "${quiet[@]}" --output "$T/marked"
expect 2 "no symbol 'g'" "$cyclops" corpus extract "$T/loop.s" --isa x86_64 --symbol g
"$cyclops" corpus extract "$T/loop.s" --isa x86_64 2>/dev/null >"$T/extracted.csv"
expect 0 '^2 blocks$' "$cyclops" corpus run "$T/extracted.csv" "${quiet[@]}" --output "$T/extracted"
mkdir "$T/folder"
cp "$T/loop.s" "$T/some.hex" "$T/folder"
expect 0 "^$((n + 2)) blocks" "$cyclops" corpus run "$T/folder" "${quiet[@]}" --output "$T/from-folder"
finish
