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
finish
