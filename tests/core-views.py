#!/usr/bin/env python3
"""Reads a report of `cyclops mca --json --timeline`, and the traces of the same blocks, back.

    core-views.py REPORT KONATA PERFETTO

Each instruction is dispatched, ready, issued, executed and retired in the same cycle in the report and in Konata's log.
Pipes in Perfetto's trace are held by one instruction at a time, and as long in all as the report states."""

import json
import sys
from collections import defaultdict

STAGES = {"Ds": "dispatched", "Rd": "ready", "Ex": "issued", "Cm": "executed"}


def read_konata(path):
    """By instruction over all blocks: its cycles."""
    cycle, times = 0, []
    lines = open(path, encoding="utf-8").read().splitlines()
    assert lines[0] == "Kanata\t0004"
    for line in lines[1:]:
        words = line.split("\t")
        if words[0] == "C=":
            cycle = int(words[1])
        elif words[0] == "C":
            assert int(words[1]) > 0, "the log goes back in time"
            cycle += int(words[1])
        elif words[0] == "I":
            assert int(words[1]) == len(times)
            times.append({})
        elif words[0] == "S":
            assert STAGES[words[3]] not in times[int(words[1])], line
            times[int(words[1])][STAGES[words[3]]] = cycle
        elif words[0] == "R":
            times[int(words[1])]["retired"] = cycle
        elif words[0] == "W":
            assert int(words[2]) < int(words[1]), "it waits for a younger one"
        else:
            assert words[0] in "LE", line
    return times


def read_pipes(path):
    """By pipe: when it is held, all blocks."""
    events = json.load(open(path, encoding="utf-8"))["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] == 1 and e["name"] == "thread_name"}
    held = defaultdict(list)
    for event in events:
        if event["ph"] == "X" and event["pid"] == 1:
            held[names[event["tid"]]].append((event["ts"], event["dur"]))
    for name, times in held.items():
        times.sort()
        for (begin, cycles), (after, _) in zip(times, times[1:]):
            assert begin + cycles <= after + 0.002, f"two instructions hold {name} in cycle {after}"
    return {name: sum(cycles for _, cycles in times) for name, times in held.items()}


def main():
    reports = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    times = read_konata(sys.argv[2])
    number, first, held = 0, 0, defaultdict(float)
    for report in reports:
        last = 0
        for row in report["timeline"]:
            shown = times[number]
            for stage in list(STAGES.values()) + ["retired"]:
                got = shown.get(stage)
                assert (got - first if got is not None else None) == row.get(stage), (report["name"], row, shown, first)
            assert row["dispatched"] <= row["executed"] <= row["retired"] < report["total_cycles"]
            last = max(last, row["retired"])
            number += 1
        first += report["total_cycles"]
        for pipe, cycles in report["pressure"].items():
            held[pipe] += cycles * report["iterations"]
    assert number == len(times)
    traced = read_pipes(sys.argv[3])
    for pipe in set(held) | set(traced):
        assert abs(held[pipe] - traced.get(pipe, 0)) < 0.01 + 0.001 * number, (pipe, held[pipe], traced.get(pipe))
    print(f"{number} instructions of {len(reports)} blocks agree, and {len(traced)} pipes")


main()
