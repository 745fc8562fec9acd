#!/usr/bin/env bash
# Cycles of a region of one's own program: known chains in C, with google/benchmark, and in Python. On a busy host values
# are marked; what is not marked must be right.
#     regions.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the known regions are x86-64's"
library=$here/../library

cc -std=c99 -O2 -Wall -Wextra -Wconversion -Werror -I"$library" "$here/regions/known.c" -o "$T/known" -lm || { echo "FAILED: C"; exit 1; }
# Rounds in which something is wrong may be those of one bad moment: no region may be wrong each time.
for attempt in 1 2 3; do
    "$T/known" >"$T/known.out" && break
    grep WRONG "$T/known.out"
done
grep -q ', 0 wrong$' "$T/known.out" || { echo "FAILED: wrong three times"; failures=1; }
grep -qE '^20 values, ([0-9]|1[0-9]) marked' "$T/known.out" || skip "unstable: all regions are marked"

if echo '#include <benchmark/benchmark.h>' | c++ -x c++ -fsyntax-only - 2>/dev/null; then
    c++ -std=c++11 -O2 -Wall -Wextra -Werror -I"$library" "$here/regions/benchmark.cpp" -o "$T/benchmark" -lbenchmark -lpthread ||
        { echo "FAILED: C++"; exit 1; }
    for attempt in 1 2 3; do
        "$T/benchmark" --benchmark_min_time=0.2 --benchmark_format=json 2>/dev/null >"$T/benchmark.json"
        python3 - "$T/benchmark.json" <<'END' && break
import json, sys
known = {"add25": 25, "imul2000": 6000}
rows = {row["name"]: row for row in json.load(open(sys.argv[1]))["benchmarks"]}
assert set(rows) == set(known), rows
for name, row in rows.items():
    if abs(row["cycles"] - known[name]) > row["cycles_pm"] and "label" not in row:
        sys.exit(f"{name}: {row['cycles']} +- {row['cycles_pm']}")
END
        [ "$attempt" != 3 ] || { echo "FAILED: google/benchmark's column, three times"; failures=1; }
    done
fi

# Python: a larger region takes longer by what it has more; and nothing is nothing.
! nm -D "$build/lib/libcyclops.so" | grep -qE '__(asan|tsan|ubsan)_' || finish
for attempt in 1 2 3; do
    CYCLOPS_LIBRARY=$build/lib/libcyclops.so PYTHONPATH=$library python3 -B - >"$T/python" 2>&1 <<'END' && break
import sys
import cyclops
empty, work = cyclops.Region(), cyclops.Region()
for i in range(20000):
    with empty:
        pass
    with work:
        sum(range(300))
print(f"nothing: {empty.value()}\nsum(range(300)): {work.value()}")
nothing, some = empty.value(), work.value()
assert nothing.n == some.n == 20000
if not nothing.why and not nothing.low <= 0 <= nothing.high:
    sys.exit("an empty region is not empty")
if not some.why and not 300 < some.cycles < 300 * 100:
    sys.exit("a sum of 300 numbers took between 1 and 100 cycles a number on no machine known")
END
    [ "$attempt" != 3 ] || { cat "$T/python"; failures=1; }
done
expect 1 'libcyclops.*not there|not there.*cannot open' env CYCLOPS_LIBRARY="$T/not there" PYTHONPATH="$library" python3 -B -c 'import cyclops'
finish
