#!/usr/bin/env python3
"""Does scripts/check-docs find a measured number that its file does not have, and one without a file?"""
import os
import sys

sys.dont_write_bytecode = True
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, "scripts")
import measured_values

NAMED = "<!-- from results/observations.txt: mul behind a constant, behind moves -->\nOn a Zen 4, it takes %s cycles of 1, else 1.00.\n"
BARE = "Some text.\n\nOn a Zen 4, it takes 1.36 cycles.\n"


def problems(check, document, text):
    return [problem for _, problem in check(document, text) if problem]


assert not problems(measured_values.claims, "a.md", NAMED % "1.36")
assert "has 1.36" in problems(measured_values.claims, "a.md", NAMED % "1.37")[0]
assert "no number" in problems(measured_values.claims, "a.md", NAMED.replace("mul", "add") % "1.36")[0]
assert not problems(measured_values.bare_numbers, "a.md", NAMED % "1.36")
assert len(problems(measured_values.bare_numbers, "a.md", BARE)) == 1
assert not problems(measured_values.bare_numbers, "a.md", BARE.replace("takes 1.36 cycles", "is slow"))
assert len(problems(measured_values.bare_numbers, "a.h", "// On a Zen 4,\n// it takes 36 cycles.\nint a;\n")) == 1
assert not problems(measured_values.bare_numbers, "a.h", "// On a Zen 4, it is slow.\nint a = 36; // cycles\n")
