#!/usr/bin/env bash
# The views of a CPU file's core agree: what Konata's log and Perfetto's trace show is what the report states.
#   core-views.sh BUILD
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
command -v python3 >/dev/null || skip "there is no python3"
cut -d, -f1 "$here/blocks/bhive-sample.hex" | awk 'NR % 12 == 0' >"$T/blocks"
for cpu in skylake zen5 ivybridge; do
    mca=("$cyclops" mca --hex --mcpu "core:$cpu" --iterations 7)
    "${mca[@]}" --json --timeline --timeline-max-iterations 7 "$T/blocks" >"$T/report" 2>"$T/messages" &&
        "${mca[@]}" --trace="konata:$T/konata" "$T/blocks" >/dev/null &&
        "${mca[@]}" --trace="perfetto:$T/perfetto" "$T/blocks" >/dev/null || { cat "$T/messages"; failures=1; }
    expect 0 "^[0-9]+ instructions of [0-9]+ blocks agree" python3 "$here/core-views.py" "$T/report" "$T/konata" "$T/perfetto"
    cat "$T/out"
done
finish
