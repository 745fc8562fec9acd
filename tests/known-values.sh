#!/usr/bin/env bash
# scripts/known-values: a survey of a simulated CPU, whose numbers are known, beside published figures.
#   known-values.sh BUILD
. "$(dirname "$0")/lib.sh"
script=$(dirname "$0")/../scripts/known-values
known() { "$script" --build "$build" --published "$T/published.csv" "$@"; }
published() { { echo form,source,latency,rthroughput,entry,note && cat; } >"$T/published.csv"; }

"$cyclops" survey ADD64rr IMUL64rr VADDPSYrr MOV64rm --isa x86_64 --target sim:znver4,noise=none --output "$T/s" >/dev/null 2>&1

published <<'CSV'
ADD64rr,uops.info,1,0.25,ADD,
IMUL64rr,uops.info,4,1.00,IMUL,7
IMUL64rr,GCC,3,,,
VADDPSYrr,uops.info,<=8,0.75,VADDPS,
MOV64rm,uops.info,<=0..5,0.33,MOV,
POPCNT64rr,uops.info,1,0.25,POPCNT,
CSV
expect 0 '^ADD64rr IMUL64rr VADDPSYrr MOV64rm POPCNT64rr$' known --forms
# What agrees; what differs and has a note; a bound; a throughput that differs and has no note; a form not surveyed.
expect 1 '^\| ADD64rr \| 1 \| 0.25 \| 1 \| 0.25 \| – \| 1 \| 0.25 \|  \|$' known "$T/s"
expect 1 '^\| IMUL64rr \| 3 \| 1 \| 4 ≠ \| 1 \| 3 \| 3 \| 1 \| 7 \|$' known "$T/s"
expect 1 '^\| VADDPSYrr \| 3 \| 0.5 \| ≤ 8 \| 0.75 ≠ \| – \| 3 \| 0.5 \| \? \|$' known "$T/s"
expect 1 '^\| MOV64rm \| 5 \| 0.33 \| ≤ 0 .. 5 \| ' known "$T/s"
expect 1 '^\| POPCNT64rr \| – \| – \| 1 \| 0.25 \| ' known "$T/s"
expect 1 '^\| uops.info \| latency \| 1 \| 1 \| 1 \| 1 \| 1 \|$' known "$T/s"
expect 1 '^\| uops.info \| throughput \| 3 \| 0 \| 0 \| 1 \| 1 \|$' known "$T/s"
expect 1 '1 differences have no note: VADDPSYrr' known "$T/s"

# Into a page, between its marks; what is around them stays.
printf 'above\n<!-- known-values: begin -->\nold\n<!-- known-values: end -->\nbelow\n' >"$T/page.md"
expect 1 '' known "$T/s" --page "$T/page.md"
expect 0 '^above <!-- known-values: begin --> \| form .*<!-- known-values: end --> below$' paste -sd ' ' "$T/page.md"
echo none >"$T/page.md"
expect 2 'marks' known "$T/s" --page "$T/page.md"

# Bad input names its line.
echo 'ADD64rr,uops.info,about 1,0.25,ADD,' | published
expect 2 "published.csv:2: 'about 1' is not a number of cycles" known "$T/s"
echo 'ADD64rr,uops.info,3..1,0.25,ADD,' | published
expect 2 "published.csv:2: '3..1' is not MIN..MAX" known "$T/s"
printf 'ADD64rr,GCC,1,,,\nADD64rr,GCC,1,,,\n' | published
expect 2 "published.csv:3: 'ADD64rr' has two lines of GCC" known "$T/s"

# The published figures of the page can be read. Their forms exist: LLVM 22 names them, 19 some of them otherwise.
expect 0 '^ADD64rr ' "$script" --forms
if "$cyclops" list forms --isa x86_64 --llvm 22 --json >"$T/forms" 2>/dev/null; then
    python3 -c '
import json, sys
known = {json.loads(line).get("form") for line in open(sys.argv[1])}
sys.exit(" ".join(form for form in sys.argv[2:] if form not in known) or None)' "$T/forms" $("$script" --forms) ||
        failures=$((failures + 1))
fi
finish
