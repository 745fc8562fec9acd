#!/usr/bin/env bash
# The published values that kernel files hold (`expect`) are what the simulated CPU shows.  expectations.sh BUILD
. "$(dirname "$0")/lib.sh"

"$cyclops" list kernels --json | jq -r '. as $k | .expect | to_entries[] |
    [$k.kernel, $k.isa, .key, .value.latency // 0, .value.rthroughput // 0] | @tsv' >"$T/expected"
[ -s "$T/expected" ] || { echo "FAILED: no kernel file expects anything"; exit 1; }
while IFS=$'\t' read -r kernel isa cpu latency rthroughput; do
    "$cyclops" run "$kernel" --isa "$isa" --target "sim:$cpu" --json >"$T/measured"
    jq -se --argjson latency "$latency" --argjson rthroughput "$rthroughput" '
        map(select(.record == "measurement")) |
        all(.[] | select(.mode == "latency"); $latency == 0 or (.cycles - $latency | fabs) < 0.01 * $latency) and
        all(.[] | select(.mode == "throughput");
            $rthroughput == 0 or (.cycles / .n - $rthroughput | fabs) < 0.01 * $rthroughput) and
        ($latency == 0 or any(.[]; .mode == "latency")) and
        ($rthroughput == 0 or any(.[]; .mode == "throughput"))' "$T/measured" >/dev/null || {
        echo "FAILED: $kernel on $cpu, published latency $latency, reciprocal throughput $rthroughput:"
        cat "$T/measured"
        failures=$((failures + 1))
    }
done <"$T/expected"
finish
