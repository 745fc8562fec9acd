#!/usr/bin/env bash
# kernels/README.md, followed: its file is written, and its commands print what it says.  kernels-readme.sh BUILD
. "$(dirname "$0")/lib.sh"
readme=$here/../kernels/README.md
export PATH="$build/bin:$PATH" CYCLOPS_PREFIX=$build
cd "$T" || exit 1
sed -n '/^mkdir -p mine/,/^END/p' "$readme" >write.sh
bash -e write.sh || { echo "FAILED: the file of kernels/README.md cannot be written"; exit 1; }
# What stands below each "$ command", up to the next one or the end of the block.
awk '/^```/ { inside = 0 } /^\$ / { inside = 1 } inside' "$readme" >said
grep '^\$ ' said | while IFS= read -r line; do
    echo "$line"
    bash -c "${line#\$ }" 2>&1
done >printed
[ -s said ] && diff -u said printed || failures=1
finish
