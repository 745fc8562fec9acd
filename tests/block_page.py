#!/usr/bin/env python3
"""Checks the page of `cyclops explain --html`: its data, and that the browser shows them all.
    block_page.py CHROMIUM PAGE FOLDER"""
import json
import re
import subprocess
import sys

chromium, page, folder = sys.argv[1:]
text = open(page).read()
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
course = data["course"]
n = len(data["instructions"])
assert len(course["entries"]) == course["passes"] * n, "whole passes"
retired = 0
for entry in course["entries"]:
    order = ["dispatched", "issued", "executed", "retired"] if entry["issued"] is not None else ["dispatched", "retired"]
    times = [entry[name] for name in order]
    assert times == sorted(times), entry
    assert entry["retired"] >= retired, "instructions retire in order"
    assert entry["issued"] is None or entry["ready"] <= entry["issued"], entry
    assert entry["retired"] < course["cycles"], entry
    retired = entry["retired"]
# Pass by pass, the picture goes on as fast as the core states.
last = [entry["retired"] for entry in course["entries"] if entry["insn"] == n - 1]
rate = (last[-1] - last[0]) / (len(last) - 1)
assert abs(rate - data["core"]) <= 2 / (len(last) - 1), (rate, data["core"])
# A chain is made of dependences.
known = {(d["from"] + 1, d["to"] + 1) for d in data["dependences"]}
links = [link["instruction"] for link in data["chain"]["links"]]
for i, link in enumerate(links):
    assert (links[i - 1], link) in known, (links, known)

dom = subprocess.run(
    [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/user", "--dump-dom", f"file://{page}"],
    capture_output=True, text=True).stdout
assert dom.count('role="option"') == len(course["entries"]), "a row for each entry"
rows = re.search(r'<table id="if">.*?</table>', dom, re.S).group(0).count("<tr")
assert rows == 1 + sum(bound["cycles"] > 0 for bound in data["bounds"].values()) + len(data["knobs"]), rows
assert dom.count('class="edge') >= len({(d["from"], d["to"]) for d in data["dependences"]}), "an arrow for each dependence"
print(f"fine: {data['core']:.2f} cycles")
