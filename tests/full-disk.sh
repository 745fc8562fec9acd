#!/usr/bin/env bash
# The disk is full in the middle of a run: what was measured is printed all the same, then the error, and a later run goes
# on with what the file holds.  full-disk.sh BUILD
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
kib=4000
sim=(--isa x86_64 --target sim:skylake,noise=none)

# with_room BYTES COMMAND…: so many fit into $T/file, and no more.
with_room() {
    head -c $((kib * 1024 - $1)) /dev/zero | tr '\0' '\n' >"$T/file"
    shift
    (ulimit -f $kib && trap '' XFSZ && exec "$@" --output "$T/file")
}

expect 2 'imul-r64 +latency .*3\.00' with_room 3500 "$cyclops" run add-r64 imul-r64 load-r64 lea-r64 "${sim[@]}"
cp "$T/out" "$T/first"
expect 0 "^cyclops: error: '.*file': cannot write: File too large; --resume" tail -n 1 "$T/first"
expect 0 'measurements are taken from|measured again' bash -c "'$cyclops' run add-r64 imul-r64 ${sim[*]} --output '$T/file' --resume 2>&1"
expect 2 'add-r64 +0\.25 0\.25 +- -' with_room 3000 "$cyclops" pairs add-r64 imul-r64 load-r64 "${sim[@]}"
cp "$T/out" "$T/first"
expect 0 'cannot write' tail -n 1 "$T/first"
# A place that cannot be written to ends every command with one message and status 2. As llvm-mca does, mca ends with 1.
cd "$T" || exit 1
"$cyclops" survey ADD64rr "${sim[@]}" --output small >/dev/null 2>&1
echo 4801d8 >block.csv
"$cyclops" corpus run block.csv "${sim[@]}" --output blocks >/dev/null 2>&1
nowhere() {
    local status=$1
    shift
    expect "$status" "^cyclops: error: cannot (write|make the folder) '?/nonexistent" "$@"
    [ "$(grep -c error: "$T/out")" = 1 ] || { echo "FAILED: more than one message: $*"; failures=$((failures + 1)); }
}
# A build under sanitizers has no runner to bundle.
[ ! -e "$build/lib/cyclops/runner-x86_64" ] || nowhere 2 "$cyclops" bundle add-r64 --isa x86_64 --output /nonexistent/x
for command in "gen add-r64 --isa x86_64 --output" "report small --output" \
    "repair small --output" "repair small --output fixed.yaml --review" "table small --exegesis-yaml" "check small --junit" \
    "check small --markdown" "check small --write-allow" "corpus score blocks --mcpu skylake --isa x86_64 --blocks" \
    "run add-r64 ${sim[*]} --output" "pairs add-r64 imul-r64 ${sim[*]} --output" "machine widths ${sim[*]} --output" \
    "survey ADD64rr ${sim[*]} --output" "corpus run block.csv ${sim[*]} --output" "reproduce fma --svg" \
    "explain nop --mcpu skylake --svg"; do
    # shellcheck disable=SC2086 # words
    nowhere 2 "$cyclops" $command /nonexistent/x
done
echo nop >nop.s
nowhere 1 "$cyclops" mca nop.s -o /nonexistent/x
# Standard streams that the caller has closed: no file opened later gets their number.
expect 2 "cannot read '-': Bad file descriptor" timeout 20 bash -c "'$cyclops' run --hex - <&-"
expect 2 "cannot read '-': Bad file descriptor" timeout 20 bash -c "'$cyclops' try - <&-"
expect 2 'cannot write' timeout 60 bash -c "'$cyclops' run add-r64 ${sim[*]} --json >&-"
finish
