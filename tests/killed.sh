#!/usr/bin/env bash
# A run on a captured machine, killed (SIGKILL, with its whole process group) at random moments, some of them in its middle:
# boost and governor are put back every time, the journal can be read, and what is missing is measured then.  killed.sh BUILD
# CYCLOPS_KILLS: how often (default 10). CYCLOPS_SEED: of the moments.
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "kernels for x86-64"
kills=${CYCLOPS_KILLS:-10}
RANDOM=${CYCLOPS_SEED:-1}
with=$here/machines/with
export MACHINE=$T/server
"$here/machines/unpack" "$here/machines/amd-server.machine" "$MACHINE"
cpu=$MACHINE/sys/devices/system/cpu
mapfile -t kernels < <("$cyclops" list kernels --isa x86_64 --json | jq -r .kernel |
    grep -xE '(add|imul|lea|load|store|popcnt|lzcnt|tzcnt|bsf|pdep|pext|shl|ror|and|or|xor|sub|not|neg|bswap)-r64')
run=("$with" amd-server "$cyclops" run "${kernels[@]}" --sweep 1..9 --mcpu none --precision 0.01 --attempt 15 --budget 0 --cpu 0 --output "$T/journal" --resume)

is_back() {
    [ "$(cat "$cpu/cpufreq/boost")" = 1 ] && [ "$(cat "$cpu/cpu0/cpufreq/scaling_governor")" = ondemand ] &&
        [ ! -e "$MACHINE/run/cyclops/settings.json" ]
}
names() { # of the kernels measured so far; lines that were cut short are no JSON
    [ ! -e "$T/journal" ] || jq -Rr 'fromjson? | select(.record == "measurement") | .kernel' "$T/journal"
}
measured() { # programs; a value that was not to be trusted is measured again, and its later line counts
    [ ! -e "$T/journal" ] || jq -Rn '[inputs | fromjson? | select(.record == "measurement")] | map([.kernel, .mode, .form, .n, .arc, .placement]) | unique | length' "$T/journal"
}
trusted() {
    [ ! -e "$T/journal" ] || jq -Rn '[inputs | fromjson? | select(.record == "measurement")] | group_by([.kernel, .mode, .form, .n, .arc, .placement]) |
        map(last | select(.verdict != "unstable")) | length' "$T/journal"
}

# A kill in the middle: the run is alive, has changed the machine, and the file holds some of the measurements and not all.
is_in_the_middle() {
    local total
    total=$(sed -nE 's/^cyclops: [0-9]+ of ([0-9]+) measurements are taken.*/\1/p' "$T/messages")
    kill -0 $program 2>/dev/null && [ "$(cat "$cpu/cpufreq/boost")" = 0 ] && [ "$n_then" -gt 0 ] && [ "$n_then" -lt "${total:-0}" ]
}
size() { stat -c %s "$T/journal" 2>/dev/null || echo 0; }
has_grown() { [ "$(size)" -gt "$size_then" ] || has_ended $program; }

n_changed=0
n_middle=0
n_cut=0
for i in $(seq "$kills"); do
    # Of one file a part at a time, so that every moment of a run has its turn: from before its start to its end.
    [ $((i % 10)) != 1 ] || rm -f "$T/journal"
    size_then=$(size)
    setsid "${run[@]}" >/dev/null 2>"$T/messages" &
    program=$!
    # Every other one once this run has written a value, the others at any moment: no value is there before its processes
    # are a second apart.
    if [ $((i % 2)) = 0 ]; then
        within 20 has_grown
        sleep 0.$(printf %03d $((RANDOM % 400)))
    else
        sleep $((i % 4)).$(printf %03d $((RANDOM % 900)))
    fi
    n_then=$(measured)
    n_then=${n_then:-0}
    [ "$(cat "$cpu/cpufreq/boost")" = 1 ] || n_changed=$((n_changed + 1))
    if is_in_the_middle; then n_middle=$((n_middle + 1)); fi
    kill -KILL -- -$program 2>/dev/null
    wait $program 2>/dev/null
    within 30 is_back || { echo "FAILED: kill $i: $(cat "$cpu/cpufreq/boost") $(ls "$MACHINE/run/cyclops")"; failures=$((failures + 1)); }
    # The kernel writes short lines whole; where it does not, as when the disk is full, it looks like this.
    [ $((i % 3)) != 0 ] || [ ! -s "$T/journal" ] || truncate -s -$((RANDOM % 40 + 2)) "$T/journal"
    if grep -q 'cut short' "$T/messages"; then n_cut=$((n_cut + 1)); fi
    if grep -q 'error' "$T/messages"; then cat "$T/messages"; failures=$((failures + 1)); fi
done

before=$(trusted)
expect 0 "^cyclops: ${before:-0} of [0-9]+ measurements are taken" timeout 120 "${run[@]}"
total=$(sed -nE 's/^cyclops: [0-9]+ of ([0-9]+) measurements are taken.*/\1/p' "$T/out")
expect 0 "^cyclops: $(trusted) of $total measurements are taken" timeout 120 "${run[@]}"
expect 0 "^$total$" measured
[ "$(names | sort -u | wc -l)" = "${#kernels[@]}" ] || { echo "FAILED: not all kernels: $(names | sort | uniq -c)"; failures=$((failures + 1)); }
echo "$kills kills, $n_changed of them while boost was off, $n_middle in the middle of a run, $n_cut lines cut short; $before of $total measured before the last run"
[ "$n_middle" -gt 0 ] || skip "none of $kills kills came in the middle of a run"
finish
