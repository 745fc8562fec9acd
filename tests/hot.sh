#!/usr/bin/env bash
# A program's hot loops: found, replayed with their own data, predicted; and the program does what it does without us.
#     hot.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "loops are replayed on x86-64"
! nm "$cyclops" 2>/dev/null | grep -q __asan_init || skip "the sanitizer's own memory is where programs have theirs"
cc -O2 -g -fno-tree-vectorize -fno-unroll-loops "$here/hot/loops.c" -o "$T/loops" || { echo "FAILED: cc"; exit 1; }
cd "$T" || exit 1

# With input from a pipe, which can be read once. Its output is its own, and stands there once.
echo "some bytes" | ./loops >alone
echo "some bytes" | timeout 120 "$cyclops" hot --moments 2 --attempt 70 --save case.hot --html loops.html --json loops.json --mcpu cpu:zen4 ./loops >out 2>err
status=$?
if [ $status = 77 ] || was_disturbed err; then skip "$(tail -1 err)"; fi
[ $status = 0 ] || { echo "FAILED: exit $status"; cat err; exit 1; }
cmp alone out || { echo "FAILED: the program prints something else"; failures=$((failures + 1)); }

# check FILE: both loops have the turns and the way that they had, and the cycles that they must have on any CPU. A host
# may disturb a value, which is marked then.
cat >check.py <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert len(rows) >= 2, rows
# The function in no loop: its turns are from one call to the next, with nothing but its own code in between.
calls = [row for row in rows if (row["with"] or "").startswith("a turn is from one call to the next")]
for row in calls:
    replay = row["replay"]
    assert not replay or (replay["turns"] > 50 or replay["verdict"] == "unstable") and 1 < replay["cycles"] < 100, row
if len(sys.argv) > 2:
    assert [row["function"] for row in rows if row["turn"] == "call"] == ["mix"] and len(calls) <= 1, rows
    # What replays run is most of the time, and each sample counts once.
    covered = sum(row["covered"] for row in rows)
    assert covered <= 1.0001 and (covered > 0.8 or not all(row["replay"] for row in rows)), covered
rows = [row for row in rows if row not in calls and row["turn"] != "call"]
# What a busy host leaves without a value has the reason.
valued = [row for row in rows if not (row["why"] or "").startswith("it has no value here: ")]
replays = [row["replay"] for row in valued]
assert all(replays), rows
for row, replay in zip(valued, replays):
    assert replay["turns"] > 0 and replay["level"] == "L1" and row["usual_way"] > 0.9, row
    assert replay["low"] <= replay["cycles"] <= replay["high"], row
    assert row["predictions"][0]["cycles"] > 0, row
    # A value of several moments is between theirs, which together stand for all of the loop's time.
    assert replay["least"] <= replay["cycles"] <= replay["most"] and 0.999 < sum(m["share"] for m in row["moments"]) < 1.001, row
# Of the loop that changes, a later moment has another way, and takes at least ten times as long.
changing = [row for row in valued if len({m["predictions"][0]["cycles"] > 30 for m in row["moments"] if m["replay"]}) > 1]
assert len(changing) <= 1, changing
for row in changing:
    replay = row["replay"]
    assert replay["verdict"] == "unstable" or (row["uneven"] and replay["most"] > 10 * replay["least"]), row
valued = [row for row in valued if row not in changing]
replays = [row["replay"] for row in valued]
# On a busy host few turns are copied, and the start and end of a replay count.
stable = [r for r in replays if r["verdict"] != "unstable" and not r["doubt"]]
hashes = [row["replay"] for row in valued if any("imul" in (p["because"] or "") for p in row["predictions"])]
assert len(hashes) == 1 or len(valued) + len(changing) < len(rows), rows
# A multiply takes 3 to 5 cycles on CPUs with a pipelined one, the xor one.
for replay in hashes:
    assert replay not in stable or 3.8 < replay["cycles"] < 6.3, replay
if len(sys.argv) > 2:
    assert {row["function"] for row in rows} == {"hash", "walk", "change"}, rows
    assert all(len(row["moments"]) > 1 for row in rows), rows
    assert changing or len(valued) < 3, rows
    assert all(row["file"].endswith("loops.c") and row["share"] > 0.05 for row in rows), rows
print(f"fine: {len(stable)} stable of {len(rows)}")
END
expect 0 'fine' python3 check.py loops.json profile
grep -q 'of the samples are in code that' err || { echo "FAILED: no line of what was replayed"; cat err; failures=$((failures + 1)); }
# The case file alone is enough, also where the program is gone.
mv loops loops.gone
"$cyclops" hot --attempt 70 --json again.json --mcpu cpu:zen4 case.hot || { echo "FAILED: the case file"; failures=$((failures + 1)); }
expect 0 'fine' python3 check.py again.json
"$cyclops" hot --mcpu none case.hot >table || { echo "FAILED: the case file's table"; failures=$((failures + 1)); }
expect 0 'loops\+0x' cat table
# It has the closing lines of the run that it was saved in.
expect 0 '^equal$' python3 -c '
import re
err, table = (" ".join(open(name).read().split()) for name in ("err", "table"))
closing = r"%s[^:]*: (\d+ % of the samples are in code that was replayed.*?)( the program ended.*)?$"
print("equal" if re.search(closing.replace("%s", "", 1), err).group(1)
      == re.search(closing.replace("%s", "(?i:when this case was saved, on [^:]*: )", 1), table).group(1) else err + table)'
mv loops.gone loops
# The page has the table's loops, and of each the block that its usual turn is.
expect 0 '^4 [0-4]$' python3 -c '
import json, re
text = open("loops.html").read()
data = json.loads(re.search(r"<script type=\"application/json\" id=\"data\">(.*?)</script>", text, re.S).group(1))
print(len(data["loops"]), sum(loop["block"] is not None and loop["block"]["course"]["passes"] > 0 for loop in data["loops"]))'
# The first that is said of a loop is what limits it.
expect 0 'each has a limit' python3 -c '
import json, re
data = json.loads(re.search(r"id=\"data\">(.*?)</script>", open("loops.html").read(), re.S).group(1))
limits = [loop["words"][0] for loop in data["loops"] if loop["replay"] and not loop["uneven"]]
print("each has a limit" if all(re.search(r"limit|usual turn alone", text) for text in limits) else limits)'

# A running process goes on.
./loops 5000000 </dev/null >/dev/null &
pid=$!
expect 0 'hash' "$cyclops" hot --pid $pid --seconds 0.3 --mcpu none
kill -0 $pid || { echo "FAILED: the process did not go on"; failures=$((failures + 1)); }
kill $pid

# Bad input: one line each.
expect 2 'name a program' "$cyclops" hot
expect 2 "cannot start './none'" "$cyclops" hot ./none
expect 2 'cannot start' "$cyclops" hot /etc/passwd
cp loops other; chmod u+s other
expect 77 'runs as another user' "$cyclops" hot ./other
expect 2 'no process' "$cyclops" hot --pid 999999999
expect 2 'check.py:1:1: ' "$cyclops" hot --perf check.py ./loops
"$cyclops" hot true 2>err; grep -qE "no sample (of|is in) user code" err || { echo "FAILED: true"; cat err; failures=$((failures + 1)); }
head -c 2000 case.hot >cut.hot
expect 2 'cut.hot.*damaged' "$cyclops" hot cut.hot
expect 2 'none.hot' "$cyclops" hot none.hot
finish
