#!/usr/bin/env bash
# Captured machines end to end: what is chosen there, and what is changed and put back.  machines.sh BUILD
. "$(dirname "$0")/lib.sh"
with=$here/machines/with

# The topology as hwloc reads it from the tree and from XML.
for file in "$here"/machines/*.machine; do
    name=$(basename "$file" .machine)
    "$with" "$name" "$cyclops" doctor --json | jq -S . >"$T/xml"
    "$with" --fsroot "$name" "$cyclops" doctor --json | jq -S . >"$T/tree"
    expect 0 "\"pinned_to\"" cat "$T/xml"
    cmp -s "$T/xml" "$T/tree" || { echo "FAILED: $name differs as XML and as files"; failures=$((failures + 1)); }
done

chosen() { "$with" "$@" --json | jq -r '.host | "\(.cpu): CPU \(.pinned_to), \(.core_type)"'; }
expect 0 'i7-12700K: CPU 6, performance' chosen intel-hybrid "$cyclops" doctor
expect 0 'i7-12700K: CPU 1[6-9], efficiency' chosen intel-hybrid "$cyclops" doctor --core-type efficiency
expect 0 'Cortex-A55: CPU [0-3], efficiency' chosen big-little "$cyclops" doctor --core-type efficiency
expect 0 'Cortex-A76: CPU [4-7], performance' chosen big-little "$cyclops" doctor
expect 0 'CPU 0, null' chosen vm "$cyclops" doctor
expect 2 'did you mean|there are performance' "$with" vm "$cyclops" doctor --core-type fast

# Two runs at once share what they change: the last one puts it back.
export MACHINE=$T/server
"$here/machines/unpack" "$here/machines/amd-server.machine" "$MACHINE"
cpu=$MACHINE/sys/devices/system/cpu
state() { echo "$(cat "$cpu/cpufreq/boost") $(cat "$cpu/cpu0/cpufreq/scaling_governor") $(ls "$MACHINE/run/cyclops")"; }
comes_to() { # state() fits, within half a minute
    for _ in $(seq 300); do
        state | grep -qE "$1" && echo reached && return
        sleep 0.1
    done
    state
    return 1
}
run=("$with" amd-server "$cyclops" run add-r64 --mcpu none --cpu 0)
if [ "$(uname -m)" = x86_64 ]; then
    "${run[@]}" --json --attempt 1 --budget 0 >"$T/json"
    expect 0 '"turbo":"off"' cat "$T/json"
    expect 0 '"governor":"performance"' cat "$T/json"
    expect 0 '"pinned_to":0' cat "$T/json"
    expect 0 '^1 ondemand users$' state
    # A precision that is never reached, of hundreds of programs: it goes on until it is ended below, as a group.
    mapfile -t kernels < <("$cyclops" list kernels --isa x86_64 --json | jq -r .kernel | head -60)
    setsid timeout 120 "${run[@]}" "${kernels[@]}" --sweep 1..9 --precision 0.01 --attempt 1000 --budget 0 >/dev/null 2>&1 &
    first=$!
    expect 0 reached comes_to '^0 performance settings.json'
    expect 77 'runs are still going on' "$with" amd-server "$cyclops" doctor --restore
    expect 0 'boost was 1 before the runs that go on' "$with" amd-server "$cyclops" doctor
    "${run[@]}" --attempt 1 --budget 0 >/dev/null
    expect 0 '^0 performance' state
    kill -TERM -- -$first || { echo "FAILED: the first run ended by itself"; failures=$((failures + 1)); }
    within 30 has_ended $first || kill -KILL -- -$first
    expect 0 reached comes_to '^1 ondemand users$'
    # The CPU it would choose is no CPU of this one, and nothing stays changed.
    [ "$(nproc --all)" -gt 31 ] || expect 77 'cannot run on CPU' "$with" amd-server "$cyclops" run add-r64 --mcpu none --cpu 31
    expect 0 reached comes_to '^1 ondemand users$'
fi

# A run and its guardian were killed: doctor says so, and mends it.
mkdir -p "$MACHINE/run/cyclops"
cat >"$MACHINE/run/cyclops/settings.json" <<NOTES
{"version":1,"boot":"$(cat "$MACHINE/proc/sys/kernel/random/boot_id")","settings":[
 {"path":"$cpu/cpufreq/boost","before":"1","after":"0"},
 {"path":"$cpu/cpu0/cpufreq/scaling_governor","before":"ondemand","after":"performance"}]}
NOTES
tr -d '\n' <"$MACHINE/run/cyclops/settings.json" >"$T/line" && cat "$T/line" >"$MACHINE/run/cyclops/settings.json"
echo 0 >"$cpu/cpufreq/boost"
echo performance >"$cpu/cpu0/cpufreq/scaling_governor"
expect 0 '\$ cyclops doctor --restore' "$with" amd-server "$cyclops" doctor
expect 0 'cpufreq/boost: 1' "$with" amd-server "$cyclops" doctor --restore
expect 0 '^1 ondemand users$' state
expect 0 'nothing to put back' "$with" amd-server "$cyclops" doctor --restore
finish
