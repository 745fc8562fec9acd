#!/usr/bin/env bash
# cyclops upstream split on a toy of LLVM's sources: a patch and a text for each cause, each against the file as it is;
# one form only; bad input.  upstream-split.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
command -v llvm-tblgen-22 >/dev/null || skip "there is no llvm-tblgen-22: install llvm-22"
cp -r "$here/td/X86" X86
forms=(ADD64rr SUB64rr XOR64rr IMUL64rr VADDPSYrr VADDPDYrr VSUBPSYrr VXORPSYrr VXORPDYrr)
overlay true znver4 >true.yaml <<'YAML'
  - {match: ADD64rr, latency: 2}
  - {match: "V(ADD|SUB)P[SD]Yrr", latency: 4, uses: [{resource: Zn4FPFAdd01, acquire: 0, release: 2}]}
  - {match: IMUL64rr, latency: 4}
YAML
"$cyclops" survey "${forms[@]}" --isa x86_64 --llvm 22 --target "sim:$T/true.yaml,noise=none" --output measured >/dev/null 2>&1 ||
    { echo "FAILED: survey"; exit 1; }
split=("$cyclops" upstream split measured --mcpu znver4 --llvm 22 --td X86/X86ScheduleZnver4.td)
expect 0 'patches: ([3-9]|10), of [0-9]+ findings' one_line "${split[@]}" --output patches
ls patches >names
expect 0 '^01-.*\.diff$' cat names
expect 0 'latency-WriteIMul64Reg\.md$' cat names
# A patch has one cause: the multiplication's has nothing of additions. Its text has the experiment, and how to repeat it.
expect 0 '^\+defm : Zn4WriteResIntPair<WriteIMul64Reg, \[Zn4Multiplier\], 4, ' cat patches/*latency-WriteIMul64Reg.diff
expect 1 '^0$' bash -c "grep -c '^[+].*FP' patches/*latency-WriteIMul64Reg.diff"
expect 0 '^[|] IMUL64rr [|] latency 0 → 0 [|] 3 [|] 4 \[' cat patches/*latency-WriteIMul64Reg.md
expect 0 '^    cyclops run --kernels measured/kernels .*IMUL64rr' cat patches/*latency-WriteIMul64Reg.md
# A latency's patch leaves pipes alone, and the other way round.
expect 0 '^0$' bash -c "cat patches/*latency*.diff | grep -cE '^[+].*ReleaseAtCycles = .2' || true"
# apply DIFF: to the file in tree, as reviewers do.
apply() {
    (cd tree && GIT_DIR=/nowhere git apply "../$1") || { echo "FAILED: $1 does not apply"; failures=$((failures + 1)); }
}
include=$(dirname "$(realpath "$(command -v llvm-tblgen-22)")")/../include
read_tree() { expect 0 'ADD64rr' llvm-tblgen-22 --print-records -I tree -I "$include" tree/X86.td; }
# Each applies to LLVM's file with those that its page names, and to it with all earlier ones; llvm-tblgen reads both.
cp -r X86 all
for diff in patches/*.diff; do
    rm -rf tree && cp -r X86 tree
    for earlier in $(sed -n '/^It applies after/,/^$/p' "${diff%.diff}.md" | grep -oE '[0-9]+-[^ ,:]*\.diff'); do
        apply "patches/$earlier"
    done
    apply "$diff"
    read_tree
    rm -rf tree && mv all tree
    apply "$diff"
    read_tree
    mv tree all
    expect 0 'the intended numbers of 9 of 9 opcodes; with all earlier patches, of 9[.]' cat "${diff%.diff}.md"
done
expect 0 '^It applies after ' bash -c 'cat patches/*.md'
expect 1 '^0$' bash -c "grep -c '^It applies after' patches/02-*.md"
# What is new stands behind what it belongs to, not at the file's end.
expect 0 '^ // Listed by pattern' cat patches/*latency-WriteALU.diff
# A command stands there once, whatever values are of its experiment.
expect 1 '^0$' bash -c "for page in patches/*.md; do grep '^    cyclops' \$page | sort | uniq -d; done | grep -c ."
# No edit is made twice: the first one's page has the other findings. Without their file's names, all differ.
expect 1 '^0$' bash -c "sha1sum patches/*.diff | cut -d' ' -f1 | sort | uniq -d | grep -c ."
expect 0 'Of an edit that an earlier one makes: [0-9]' one_line "${split[@]}" --output patches
# One form: an InstRW for it, and the class stays.
expect 0 'patches: 1, of' one_line "${split[@]}" --output one --only VADDPSYrr --most 1
expect 0 'instrs VADDPSYrr' bash -c 'cat one/01-*.diff'
expect 0 'patches: [12], of' one_line "${split[@]}" --output class --only WriteIMul64Reg

expect 2 "no form or class of one, is called 'NOSUCH'" one_line "${split[@]}" --output x --only NOSUCH
expect 2 'td names LLVM' "$cyclops" upstream split measured --output x
expect 2 'name the folder of a survey' "$cyclops" upstream split --td X86/X86ScheduleZnver4.td --output x
expect 2 'most is a number from 1 to 99' "${split[@]}" --output x --most 0
expect 2 "can be split, not 'cpu:zen4'" "$cyclops" upstream split measured --mcpu cpu:zen4 --td X86/X86ScheduleZnver4.td --output x
finish
