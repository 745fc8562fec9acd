#!/usr/bin/env bash
# cyclops repair --llvm-mca-tests on tests as LLVM has them: what changes, what stays, what is left alone and why.
#   repair-mca.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
forms=(SUB64rr VADDPSYrr IMUL64rr ADD64rr)
overlay true znver4 >true.yaml <<'YAML'
  - {match: SUB64rr, latency: 2}
  - {match: VADDPSYrr, uses: [{resource: Zn4FP23, acquire: 0, release: 2}]}
  - {match: IMUL64rr, uops: 3}
YAML
"$cyclops" survey "${forms[@]}" --isa x86_64 --target "sim:$T/true.yaml,noise=none" --output measured >/dev/null 2>&1 ||
    { echo "FAILED: survey"; exit 1; }

# checks CPU PREFIX FILE OPTION...: the lines that check the report, as LLVM's script writes them.
checks() {
    local cpu=$1 prefix=$2 file=$3
    shift 3
    "$cyclops" mca "-mcpu=$cpu" -resource-segments=false "$@" "$file" |
        awk -v p="$prefix" '!NF { gap = 1; next } { head = gap || NR == 1 ? ":      " : "-NEXT: "; if (gap || NR == 1) print ""; gap = 0
                            line = "# " p head $0; sub(/ +$/, "", line); print line }'
}
# a_test NAME CODE OPTION...: a test with LLVM's numbers in the folder of tests, and one with the true numbers beside it.
folder=llvm/test/tools/llvm-mca/X86/Znver4
mkdir -p $folder/more expected/more
a_test() {
    local name=$1 code=$2
    shift 2
    for to in "znver4 $folder" "$T/true.yaml expected"; do
        read -r cpu where <<<"$to"
        printf '# RUN: llvm-mca -mcpu=znver4 %s < %%s | FileCheck %%s\n\n%b\n' "$*" "$code" >"$where/$name"
        checks "$cpu" CHECK "$where/$name" "$@" >"$T/checks"
        cat "$T/checks" >>"$where/$name"
    done
}
code='subq %rsi, %rdi\nimulq %rsi, %rdi\nvaddps %ymm0, %ymm1, %ymm2\naddq %rsi, %rdi'
a_test tables.s "$code" -instruction-tables
a_test more/simulated.s "$code" -iterations=7 -dispatch-stats
a_test same.s 'addq %rsi, %rdi' -instruction-tables
# Another number of lines: the timeline's head has a second line from ten cycles on.
a_test timeline.s 'subq %rsi, %rdi\nsubq %rsi, %rdi\nsubq %rsi, %rdi\nsubq %rsi, %rdi\nsubq %rsi, %rdi' -timeline -iterations=1
expect 1 '.' cmp <(grep -c CHECK $folder/timeline.s) <(grep -c CHECK expected/timeline.s)
# Two runs with one text, which both change; of 32-bit code, which the overlay is not of.
a_test two.s 'addl %esi, %edi\nvaddps %ymm0, %ymm1, %ymm2' -instruction-tables
for each in $folder expected; do
    sed -i '1s/.*/# RUN: llvm-mca -mtriple=x86_64-unknown-unknown -mcpu=znver4 -instruction-tables < %s | FileCheck %s\n# RUN: llvm-mca -mtriple=i686-unknown-unknown \\\n# RUN:   --mcpu znver4 -instruction-tables %s 2>\&1 | FileCheck --check-prefixes=CHECK,OTHER %s/' $each/two.s
done

# What is left alone, each with its reason.
a_test wrong.s "$code" -instruction-tables
sed -i 's/\(CHECK-NEXT:  1 *\)3 /\19 /' $folder/wrong.s
a_test differs.s 'subq %rsi, %rdi' -resource-pressure=false -summary-view=false
sed -i '1p; 1s/znver4/znver3/' $folder/differs.s
a_test not.s "$code" -instruction-tables
echo '# CHECK-NOT: anything' >>$folder/not.s
a_test shell.s "$code" -instruction-tables
sed -i '1s/llvm-mca/not llvm-mca/' $folder/shell.s
a_test strict.s "$code" -instruction-tables
sed -i '1s/FileCheck/FileCheck --match-full-lines/' $folder/strict.s
a_test fails.s "$code" -instruction-tables
sed -i '1s/-instruction-tables/-instruction-tables -no-such-option/' $folder/fails.s
a_test other.s 'addq %rsi, %rdi' -instruction-tables
sed -i 's/znver4/znver1/' $folder/other.s

repair=("$cyclops" repair measured --slots --mcpu znver4 --output fixed.yaml)
cp -r llvm before
expect 0 'fixed-tests.diff changes 4 tests of llvm-mca, in [0-9]+ lines\. As before: 1\. Left alone: 6. Without a run with -mcpu=znver4: 1' \
    one_line "${repair[@]}" --llvm-mca-tests $folder --review review.md
one_line "${repair[@]}" --llvm-mca-tests $folder >said
expect 0 'left alone: wrong.s: line [0-9]+ is not what LLVM.s model prints' cat said
expect 0 'left alone: differs.s: line [0-9]+ is of several runs, which differ now' cat said
expect 0 'left alone: not.s: line [0-9]+ is a check of a kind that is not regenerated' cat said
expect 0 'left alone: shell.s: its RUN line is of another kind: not llvm-mca' cat said
expect 0 "left alone: strict.s: FileCheck's option '--match-full-lines' is not known here" cat said
expect 0 "left alone: fails.s: its run with LLVM's model fails: .*no-such-option" cat said
expect 0 '^same$' bash -c 'diff -r llvm before && echo same'
expect 0 '4 tests are changed, in' cat review.md
expect 0 "cyclops repair measured --mcpu znver4 --slots --output fixed.yaml --llvm-mca-tests $folder" cat review.md

# The diff makes of each test what the true numbers make of it.
patch -s -p1 <fixed-tests.diff || { echo "FAILED: patch"; failures=$((failures + 1)); }
for name in tables.s more/simulated.s same.s timeline.s two.s; do
    expect 0 '^same$' bash -c 'diff "$1" "$2" && echo same' - $folder/$name expected/$name
done
# LLVM's model does not print what they say now: they are left alone.
expect 0 'fixed-tests.diff changes 0 tests of llvm-mca' one_line "${repair[@]}" --llvm-mca-tests $folder
expect 0 'elsewhere.diff changes 0 tests' one_line "${repair[@]}" --llvm-mca-tests $folder --llvm-mca-tests-output elsewhere.diff

# Bad input is found before the work.
mkdir empty
expect 2 "'empty' holds no test that runs llvm-mca with -mcpu=znver4" "${repair[@]}" --llvm-mca-tests empty
expect 2 "'none' holds no test" "${repair[@]}" --llvm-mca-tests none
expect 2 'needs --llvm-mca-tests' "${repair[@]}" --llvm-mca-tests-output x.diff
expect 2 "cannot write 'none/x.diff': No such file" "${repair[@]}" --llvm-mca-tests $folder --llvm-mca-tests-output none/x.diff
finish
