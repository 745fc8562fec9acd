"""Does each rule of scripts/table_rules.py see a value that is false, and nothing in a table that is true?

    table-against-itself.py TABLE.jsonl   # of a simulated CPU, whose model has none of these contradictions but in FINDINGS

Falsifies one value a rule, and asks for the finding. Exit 1 where one is missing, or there are more in the true table.
"""
import copy
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
# pylint: disable=wrong-import-position
import table_rules
from survey_table import Table

# Of LLVM's model of Zen 4: a load takes five cycles, and four of them are in an operation with one.
FINDINGS = {"load"}


def number(value, cycles, relation="equal", unit="cycles"):
    value.update({unit: cycles, "low": 0.999 * cycles, "high": 1.001 * cycles, "relation": relation, "verdict": "exact"})
    value.pop("sum", None)
    value.pop("why", None)


class Rows:
    def __init__(self, rows):
        self.rows = {row["form"]: row for row in rows if row["record"] == "form"}

    def latency(self, form, source, destination="0", slow=False):
        return next(value for value in self.rows[form]["latencies"]
                    if (value["source"], value["destination"], value.get("slow_values", False)) == (source, destination, slow))

    def headline(self, form):
        return next(value for value in self.rows[form]["throughputs"] if value["headline"])

    def slots(self, form):
        return self.rows[form]["slots"]


def later_twin(rows):
    number(rows.latency("VMULPSZ128rr", "1"), 4)


def bound_below_its_twin(rows):
    number(rows.latency("VMULPSZ128rr", "2"), 2, "at most")


def bound_by_sum(value, total):
    number(value, total - 3, "at most")
    value["sum"] = total


def other_sum(rows):
    bound_by_sum(rows.latency("VMULPSrm", "2.base"), 13)
    bound_by_sum(rows.latency("VMULPSZ128rm", "2.base"), 15)


def sse(rows):
    number(rows.latency("MULPSrr", "0"), 4)


def long_constant(rows):
    number(rows.headline("ADD64ri32"), 1)


def merged_later(rows):
    number(rows.latency("VADDPSZ128rrk", "4"), 5)


def second_factor(rows):
    number(rows.latency("VMULPSYrr", "2"), 5)


def pipe_for_a_latency(rows):
    number(rows.headline("VMULPSYrr"), rows.latency("VMULPSYrr", "1")["cycles"])


def one_address_for_a_latency(rows):
    value = copy.deepcopy(rows.headline("XADD64rm"))
    value.update({"same_address": True, "headline": False, "why": "its streams wait for memory"})
    number(value, rows.latency("XADD64rm", "2.base")["chain"], "at most")
    rows.rows["XADD64rm"]["throughputs"] = [rows.headline("XADD64rm"), value]


def slow_copies(rows):
    number(rows.headline("VMULPSYrr"), 9)


def mean(rows):
    number(rows.latency("IMUL64rr", "2"), 3.4)


def quick(rows):
    number(rows.latency("IMUL64rr", "2"), 0.5)


def many_slots(rows):
    number(rows.slots("VMULPSYrr"), 6, unit="slots")


def no_slot(rows):
    number(rows.slots("MUL64r"), 0.3, "at most", unit="slots")


def own_value(rows):
    rows.rows["ADD64rr"]["example"] = "xchgq %rcx, %rax"


def masked_store(rows):
    value = {"source": "memory", "destination": "memory", "kernel": "VMOVAPSYmr.memory"}
    number(value, 0.5, "at most")
    rows.rows["VMOVAPSYmr"]["latencies"].append(value)


def quick_division(rows):
    number(rows.latency("VDIVPDrr", "1", slow=True), 3)


def no_load(rows):
    number(rows.latency("VMULPSYrm", "2.base"), 4)


def layout(rows):
    for form, cycles in (("ADD64mi8", 1), ("ADD64mi32", 7)):
        latencies = rows.rows[form]["latencies"]
        latencies[:] = [value for value in latencies if value["source"] != "memory"]
        value = {"source": "memory", "destination": "memory", "kernel": f"{form}.memory"}
        number(value, cycles)
        latencies.append(value)


def partner_of_its_own_kind(rows):
    later = dict(rows.latency("VDIVPDrr", "1"), to_others=True, partner="vpand")
    number(later, later["cycles"] + 1)
    rows.rows["VDIVPDrr"]["latencies"].append(later)
    rows.latency("VDIVPDrr", "1", slow=True)["partner"] = "vandps"


def load_share(rows):
    value = rows.latency("VMULPSYrm", "2.base")
    number(value, value["cycles"] + 3)


def slots_of_registers(rows):
    number(rows.slots("VMULPSYrr"), 3, unit="slots")


def narrow(rows):
    number(rows.latency("VMULPSrr", "1"), 7)


def outlier(rows):
    number(rows.headline("VPMAXSDrr"), 1)


def two_speeds(rows):
    for i, name in enumerate(("SB", "SW", "UB", "UD", "UW", "SD")):
        for operation in ("MAX", "MIN"):
            number(rows.headline(f"VP{operation}{name}rr"), 0.5 if i % 2 else 0.565)


FALSE = [
    ("twins", later_twin), ("twins", bound_below_its_twin), ("twins", other_sum), ("legacy", sse), ("immediates", long_constant),
    ("masks", merged_later), ("commutative", second_factor), ("chain", pipe_for_a_latency), ("chain", one_address_for_a_latency), ("slower", slow_copies),
    ("fraction", mean), ("fraction", quick), ("slots", many_slots), ("slots", no_slot), ("pairs", own_value), ("pairs", masked_store),
    ("slow", quick_division), ("load", no_load), ("memory", layout), ("others", partner_of_its_own_kind), ("load-share", load_share),
    ("load-slots", slots_of_registers), ("width", narrow), ("class", outlier), ("clusters", two_speeds),
]


def ids(rows, kind):
    table = Table(json.dumps(row) for row in rows)
    return {finding.id for finding in table_rules.KINDS[kind].find(table)}


def main():
    rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    n_failed = 0
    true = {kind: ids(rows, kind) for kind in table_rules.KINDS}
    for kind, found in true.items():
        if found and kind not in FINDINGS:
            n_failed += 1
            print(f"FAILED: of true values, {kind}: {', '.join(sorted(found)[:5])}")
    missing = set(table_rules.KINDS) - {kind for kind, _ in FALSE}
    if missing:
        n_failed += 1
        print(f"FAILED: nothing falsifies a value for {missing}")
    for kind, falsify in FALSE:
        false = copy.deepcopy(rows)
        falsify(Rows(false))
        if not ids(false, kind) - true[kind]:
            n_failed += 1
            print(f"FAILED: {kind} does not see '{falsify.__name__}'")
    # Unstable values are marked already, so no rule speaks of them.
    for row in rows:
        for value in row.get("latencies", []) + row.get("throughputs", []) + [row.get("slots", {})]:
            value["verdict"] = "unstable"
    if any(ids(rows, kind) for kind in table_rules.KINDS):
        n_failed += 1
        print("FAILED: findings of unstable values")
    print(f"{len(FALSE)} false values of {len(table_rules.KINDS)} kinds, {n_failed} failures")
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
