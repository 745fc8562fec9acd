#!/usr/bin/env bash
# The case file of a Zen 4, replayed here: the same path, this CPU's own cycles.
#     hot-case.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "loops are replayed on x86-64"
! nm "$cyclops" 2>/dev/null | grep -q __asan_init || skip "the sanitizer's own memory is where programs have theirs"
compare=$here/../scripts/compare-case saved=$here/../results/hot
# A busy host may leave a loop without a value.
"$compare" "$saved/chains.hot" "$saved/chains-zen4.json" "$build" >"$T/rows" 2>"$T/err"
status=$?
cat "$T/rows"
if [ $status = 77 ] || grep -q 'no value here: it has no value here' "$T/rows"; then skip "this host disturbed a replay"; fi
[ $status = 0 ] || { echo "FAILED: exit $status"; cat "$T/err"; failures=$((failures + 1)); }
# A chain of eight adds takes eight cycles on any CPU, where the host leaves it alone.
expect 0 'fine' python3 -c '
import sys
rows = {row.split()[0]: row.split()[3] for row in open(sys.argv[1]).readlines()[1:]}
add = rows["add+0x40"]
print("fine" if len(rows) == 7 and (add.endswith("?") or 7.8 < float(add) < 8.2) else rows)' "$T/rows"
# One turn less, and it is another path.
sed 's/"turns": *200/"turns": 199/g' "$saved/chains-zen4.json" >"$T/other.json"
expect 1 'ANOTHER' "$compare" "$saved/chains.hot" "$T/other.json" "$build"
echo '[' >"$T/bad.json"
expect 2 'cannot read' "$compare" "$saved/chains.hot" "$T/bad.json" "$build"
finish
